// Who may speak to the server: every rule as a table.
#include "serve/http/access.h"

#include <gtest/gtest.h>

namespace atto::http {
namespace {

const AccessRules kRules{8321, "secret", {"hub.example.org", "other.example.org:8443"}};

// A request of the page itself.
Request from_page(std::map<std::string, std::string> changes = {}) {
  Request request{.method = "POST", .path = "/api/ask"};
  request.headers = {{"host", "127.0.0.1:8321"},
                     {"origin", "http://127.0.0.1:8321"},
                     {"sec-fetch-site", "same-origin"},
                     {"cookie", "atto_8321=secret"},
                     {"content-type", "application/json"}};
  for (auto& [name, value] : changes) request.headers[name] = value;
  return request;
}

int status(const Request& request) {
  const auto refused = turn_away(request, kRules);
  return refused ? refused->status : 200;
}

TEST(Access, LetsThePageAsk) { EXPECT_EQ(status(from_page()), 200); }

TEST(Access, KnowsItsNames) {
  const std::vector<std::pair<std::string, int>> cases{
      {"127.0.0.1:8321", 200},
      {"localhost:8321", 200},
      {"LocalHost:8321", 200},
      {"[::1]:8321", 200},
      {"hub.example.org", 200},
      {"hub.example.org:443", 200},
      {"HUB.example.org", 200},
      {"other.example.org:8443", 200},
      {"other.example.org", 403},
      {"other.example.org:8444", 403},
      {"127.0.0.1", 403},
      {"127.0.0.1:80", 403},
      {"127.0.0.1:83210", 403},
      {"localhost.evil.example:8321", 403},
      {"evil.example:8321", 403},
      {"evilhub.example.org", 403},
      {"hub.example.org.evil.example", 403},
      {"127.0.0.1:8321@evil.example", 403},
      {"", 403},
  };
  for (const auto& [host, expected] : cases) EXPECT_EQ(status(from_page({{"host", host}})), expected) << host;
  Request without = from_page();
  without.headers.erase("host");
  EXPECT_EQ(status(without), 403);
}

TEST(Access, TakesNothingFromOtherPages) {
  const std::vector<std::pair<std::string, int>> cases{
      {"http://127.0.0.1:8321", 200},
      {"http://localhost:8321", 200},
      {"https://hub.example.org", 200},
      {"http://127.0.0.1:8888", 403},
      {"https://evil.example", 403},
      {"null", 403},
      {"", 403},
      {"file://", 403},
      {"http://127.0.0.1:8321.evil.example", 403},
  };
  for (const auto& [origin, expected] : cases) EXPECT_EQ(status(from_page({{"origin", origin}})), expected) << origin;
  Request without = from_page();  // programs send none
  without.headers.erase("origin");
  EXPECT_EQ(status(without), 200);
}

TEST(Access, TakesNothingFromOtherSites) {
  for (const char* site : {"cross-site", "same-site", "anything"})
    EXPECT_EQ(status(from_page({{"sec-fetch-site", site}})), 403) << site;
  EXPECT_EQ(status(from_page({{"sec-fetch-site", "none"}})), 200);
}

TEST(Access, LetsALinkInANotebookOpenThePage) {
  Request link{.method = "GET", .path = "/", .query = {{"token", "secret"}}};
  link.headers = {{"host", "127.0.0.1:8321"},
                  {"sec-fetch-site", "cross-site"},
                  {"sec-fetch-mode", "navigate"},
                  {"sec-fetch-dest", "document"}};
  EXPECT_EQ(status(link), 200);
  link.headers["sec-fetch-dest"] = "iframe";
  EXPECT_EQ(status(link), 403);
  link.headers["sec-fetch-dest"] = "document";
  link.headers["sec-fetch-mode"] = "no-cors";
  EXPECT_EQ(status(link), 403);
  link.headers["sec-fetch-mode"] = "navigate";
  link.path = "/api/studies";
  EXPECT_EQ(status(link), 403);
}

TEST(Access, WantsTheToken) {
  const std::vector<std::pair<std::string, int>> cookies{
      {"atto_8321=secret", 200},
      {"a=b; atto_8321=secret; c=d", 200},
      {"", 401},
      {"atto_8321=", 401},
      {"atto_8321=secre", 401},
      {"atto_8321=secret2", 401},
      {"atto_8322=secret", 401},
      {"xatto_8321=secret", 401},
  };
  for (const auto& [cookie, expected] : cookies) EXPECT_EQ(status(from_page({{"cookie", cookie}})), expected) << cookie;
  EXPECT_EQ(status(from_page({{"cookie", ""}, {"authorization", "Bearer secret"}})), 200);
  EXPECT_EQ(status(from_page({{"cookie", ""}, {"authorization", "Bearer wrong"}})), 401);
  EXPECT_EQ(status(from_page({{"cookie", ""}, {"authorization", "Basic secret"}})), 401);
  Request in_address = from_page({{"cookie", ""}});  // only a link to the page may have it there
  in_address.query["token"] = "secret";
  EXPECT_EQ(status(in_address), 401);
  in_address.method = "GET";
  EXPECT_EQ(status(in_address), 401);
  in_address.path = "/";
  EXPECT_EQ(status(in_address), 200);
  in_address.query["token"] = "wrong";
  EXPECT_EQ(status(in_address), 401);
}

TEST(Access, WantsPostsThatAFormCannotSend) {
  EXPECT_EQ(status(from_page({{"content-type", "text/plain"}})), 415);
  EXPECT_EQ(status(from_page({{"content-type", "application/json; charset=utf-8"}})), 200);
  Request preflight = from_page({{"access-control-request-method", "POST"}});
  preflight.method = "OPTIONS";
  const auto refused = turn_away(preflight, kRules);
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 405);
  EXPECT_EQ(to_bytes(*refused, false).find("Access-Control"), std::string::npos);
}

TEST(Access, TokensAreLongAndDiffer) {
  EXPECT_EQ(random_token().size(), 32U);
  EXPECT_NE(random_token(), random_token());
}

}  // namespace
}  // namespace atto::http
