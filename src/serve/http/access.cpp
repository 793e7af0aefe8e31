#include "serve/http/access.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace atto::http {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

// "name:port" without the port; "[::1]" keeps its brackets.
std::string_view name_of(std::string_view host) {
  const size_t bracket = host.rfind(']'), colon = host.rfind(':');
  const bool has_port = colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  return has_port ? host.substr(0, colon) : host;
}

bool is_known_host(const std::string& given, const AccessRules& rules) {
  const std::string host = lower(given), port = ":" + std::to_string(rules.port);
  for (const char* local : {"127.0.0.1", "localhost", "[::1]"})
    if (host == local + port || (rules.port == 80 && host == local)) return true;
  for (const std::string& one : rules.allowed_hosts) {
    const std::string allowed = lower(one);
    if (host == allowed || (name_of(allowed) == allowed && name_of(host) == allowed)) return true;
  }
  return false;
}

bool is_known_origin(const std::string& origin, const AccessRules& rules) {
  for (const std::string_view scheme : {"http://", "https://"})
    if (origin.starts_with(scheme)) return is_known_host(origin.substr(scheme.size()), rules);
  return false;
}

// Takes the same time wherever the first difference is.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

bool has_token(const Request& request, const AccessRules& rules) {
  constexpr std::string_view kBearer = "Bearer ";
  if (const std::string& given = request.header("authorization"); given.starts_with(kBearer))
    return same_secret(std::string_view(given).substr(kBearer.size()), rules.token);
  if (const std::string& given = request.header("x-atto-token"); !given.empty()) return same_secret(given, rules.token);
  if (is_link(request)) return same_secret(request.parameter("token"), rules.token);
  const std::string wanted = cookie_name(rules) + "=";
  for (std::string_view rest = request.header("cookie"); !rest.empty();) {
    const std::string_view cookie = rest.substr(0, rest.find(';'));
    if (cookie.starts_with(wanted)) return same_secret(cookie.substr(wanted.size()), rules.token);
    rest.remove_prefix(std::min(rest.size(), cookie.size() + 1));
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  return false;
}

// What browsers say in Sec-Fetch-Site: the page itself, or the reader, who typed the address. Programs say nothing.
bool comes_from_here(std::string_view site) {
  constexpr std::array<std::string_view, 3> kHere{"same-origin", "none", ""};
  return std::find(kHere.begin(), kHere.end(), site) != kHere.end();
}

bool opens_page(const Request& request) {
  return request.method == "GET" && request.header("sec-fetch-mode") == "navigate" &&
         request.header("sec-fetch-dest") == "document" && !request.path.starts_with("/api/");
}

}  // namespace

bool is_link(const Request& request) {
  return request.method == "GET" && !request.path.starts_with("/api/") && request.query.contains("token");
}

std::optional<Response> turn_away(const Request& request, const AccessRules& rules) {
  if (!is_known_host(request.header("host"), rules))
    return refusal(403, "this server is not known as '" + request.header("host") + "'",
                   "open the link that it printed; behind a proxy, start it with --allow-host and the proxy's name");
  if (request.headers.contains("origin") && !is_known_origin(request.header("origin"), rules))
    return refusal(403, "requests of other pages are not taken",
                   "behind a proxy, start the server with --allow-host and the proxy's name");
  // A link in a notebook leads here from another site, which is no request of that site.
  if (!comes_from_here(request.header("sec-fetch-site")) && !opens_page(request))
    return refusal(403, "requests of other sites are not taken", "open the link that the server printed");
  if (request.method != "GET" && request.method != "POST") {
    Response refused = refusal(405, "only GET and POST are known here");
    refused.headers.emplace_back("Allow", "GET, POST");
    return refused;
  }
  if (!has_token(request, rules))
    return refusal(401, "the token is missing or wrong",
                   "open the link that the server printed when it started; each start has a new one");
  // Another site's form cannot say this without asking first, and it is told nothing when it asks.
  if (request.method == "POST" && !lower(request.header("content-type")).starts_with("application/json"))
    return refusal(415, "a POST has Content-Type: application/json");
  return std::nullopt;
}

std::string cookie_name(const AccessRules& rules) { return "atto_" + std::to_string(rules.port); }

std::string token_cookie(const AccessRules& rules) {
  // Without a Path it holds for the folder of the page, which behind a proxy only the browser knows.
  return cookie_name(rules) + "=" + rules.token + "; HttpOnly; SameSite=Strict";
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != std::ssize(bytes))
    throw Error(ErrorKind::resources, std::string("the system gives no random numbers: ") + std::strerror(errno));
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

}  // namespace atto::http
