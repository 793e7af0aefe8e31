// Requests out of bytes, in whatever pieces they come; and what is no request.
#include "serve/http/request_reader.h"

#include <gtest/gtest.h>

#include <random>

namespace atto::http::request_reader_test {
namespace {

using State = RequestReader::State;

// All requests of the bytes, which come in pieces of so many; the status of a refusal at the end.
struct ReadAll {
  std::vector<Request> requests;
  State state = State::head;
  int status = 0;
};
ReadAll read_all(const std::string& bytes, size_t piece, const ReadLimits& limits = {}) {
  RequestReader reader(limits);
  ReadAll all;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    State state = reader.feed(std::string_view(bytes).substr(at, piece));
    while (state == State::decide || state == State::done) {
      if (state == State::decide) {
        state = reader.accept();
      } else {
        all.requests.push_back(reader.request());
        state = reader.next();
      }
    }
  }
  all.state = reader.state();
  if (all.state == State::refused) all.status = reader.refusal().status;
  return all;
}

const std::string kPost =
    "POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1:8321\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n"
    "{\"ask\":\"about\"}";

TEST(RequestReader, ReadsTheSameInAnyPieces) {
  const std::string bytes =
      kPost + "GET /api/runs/a%20b?study=x%26y&observable=p+q HTTP/1.1\r\nHost: localhost\r\n\r\n";
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    const ReadAll all = read_all(bytes, piece);
    ASSERT_EQ(all.requests.size(), 2U) << piece;
    EXPECT_EQ(all.requests[0].method, "POST");
    EXPECT_EQ(all.requests[0].path, "/api/ask");
    EXPECT_EQ(all.requests[0].body, "{\"ask\":\"about\"}");
    EXPECT_EQ(all.requests[0].header("content-type"), "application/json");
    EXPECT_EQ(all.requests[1].path, "/api/runs/a b");
    EXPECT_EQ(all.requests[1].parameter("study"), "x&y");
    EXPECT_EQ(all.requests[1].parameter("observable"), "p q");
    EXPECT_EQ(all.state, State::head);
  }
}

TEST(RequestReader, ReadsChunks) {
  const std::string bytes =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n";
  for (size_t piece = 1; piece <= bytes.size(); ++piece) {
    const ReadAll all = read_all(bytes, piece);
    ASSERT_EQ(all.requests.size(), 1U) << piece;
    EXPECT_EQ(all.requests[0].body, "{\"a\":1}");
  }
}

TEST(RequestReader, LetsTheHeadBeJudgedBeforeTheBody) {
  RequestReader reader;
  EXPECT_EQ(reader.feed(kPost), State::decide);
  EXPECT_EQ(reader.request().path, "/api/ask");
  EXPECT_EQ(reader.request().body, "");
  EXPECT_EQ(reader.accept(), State::done);
  EXPECT_EQ(reader.request().body.size(), 15U);
  EXPECT_TRUE(reader.keep_alive());
}

TEST(RequestReader, RefusesWhatIsNoRequest) {
  const std::string head = "GET / HTTP/1.1\r\nHost: h\r\n";
  const std::vector<std::pair<std::string, int>> cases{
      {"\r\n\r\n\r\n\r\n", 400},
      {"hello\r\n\r\n", 400},
      {"\x16\x03\x01\x02\x01\x01\xfc\x03\x03 a browser that tries https\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: h\r\n\r\n", 400},
      {"GET  / HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET nowhere HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET http://h/ HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET /%zz HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET /% HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET /%00 HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {"GET /?a=%0d%0aSet-Cookie HTTP/1.1\r\nHost: h\r\n\r\n", 400},
      {head + "Host: i\r\n\r\n", 400},
      {head + "Cookie: a=1\r\nCookie: a=2\r\n\r\n", 400},
      {head + "Origin: a\r\nOrigin: b\r\n\r\n", 400},
      {head + "no colon\r\n\r\n", 400},
      {head + "Content-Length: -1\r\n\r\n", 400},
      {head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {head + "Content-Length: 99999999999999999999999\r\n\r\n", 400},
      {head + "Content-Length: 99999999999999\r\n\r\n", 413},
      {head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
      {head + "Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n", 413},
      {head + "X: " + std::string(20'000, 'x') + "\r\n\r\n", 431},
      {"GET /" + std::string(20'000, 'x') + " HTTP/1.1\r\n\r\n", 431},
  };
  for (const auto& [bytes, status] : cases)
    for (const size_t piece : {size_t{1}, size_t{7}, bytes.size()}) {
      const ReadAll all = read_all(bytes, piece);
      EXPECT_EQ(all.state, State::refused) << bytes.substr(0, 80);
      EXPECT_EQ(all.status, status) << bytes.substr(0, 80);
      EXPECT_TRUE(all.requests.empty()) << bytes.substr(0, 80);
    }
}

TEST(RequestReader, RefusesABodyThatGrowsTooLong) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string bytes = head;
  for (int i = 0; i < 12; ++i) bytes += "a\r\n0123456789\r\n";
  EXPECT_EQ(read_all(bytes, 5, {.body_bytes = 100}).status, 413);
  EXPECT_EQ(read_all(head + "a\r\n0123456789\r\n0\r\n\r\n", 5, {.body_bytes = 100}).requests.size(), 1U);
}

// The limit is that of all lines of the head together, and it is exact.
TEST(RequestReader, TakesAHeadUpToItsLimit) {
  for (const size_t target : {size_t{1}, size_t{200}}) {
    const std::string start = "GET /" + std::string(target, 'x') + " HTTP/1.1\r\nHost: ", end = "\r\n\r\n";
    const std::string fits = start + std::string(256 - start.size() - end.size(), 'h') + end;
    const std::string longer = start + std::string(257 - start.size() - end.size(), 'h') + end;
    for (const size_t piece : {size_t{1}, size_t{7}, size_t{1000}}) {
      EXPECT_EQ(read_all(fits, piece, {.head_bytes = 256}).requests.size(), 1U) << target << " " << piece;
      EXPECT_EQ(read_all(longer, piece, {.head_bytes = 256}).status, 431) << target << " " << piece;
    }
  }
}

TEST(RequestReader, RefusesLongLinesBetweenChunks) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string many(1000, 'x');
  for (const size_t piece : {size_t{1}, size_t{7}, size_t{10'000}}) {
    EXPECT_EQ(read_all(head + "1;" + many + "\r\na\r\n0\r\n\r\n", piece, {.head_bytes = 256}).status, 431) << piece;
    EXPECT_EQ(read_all(head + "0\r\nTrailer: " + many + "\r\n\r\n", piece, {.head_bytes = 256}).status, 431) << piece;
  }
}

TEST(RequestReader, JoinsHeadersThatMayBeLists) {
  const ReadAll all = read_all("GET / HTTP/1.1\r\nHost: h\r\nX-Via: a\r\nX-Via: b\r\n\r\n", 100);
  ASSERT_EQ(all.requests.size(), 1U);
  EXPECT_EQ(all.requests[0].header("x-via"), "a, b");
}

// Requests with bytes changed, left out, doubled or mixed: each is read or refused, and no state is left in between.
TEST(RequestReader, SurvivesAnyBytes) {
  const std::vector<std::string> seeds{
      kPost, "GET /api/stream?session=abc HTTP/1.1\r\nHost: localhost:8321\r\nLast-Event-ID: 7\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n3\r\nabc\r\n0\r\n\r\n"};
  std::mt19937 random(20);
  for (int round = 0; round < 6000; ++round) {
    std::string bytes = seeds[random() % seeds.size()];
    for (auto change = random() % 6; change-- > 0 && !bytes.empty();) {
      const size_t at = random() % bytes.size(), length = random() % (bytes.size() - at + 1);
      switch (random() % 5) {
        case 0:
          bytes[at] = static_cast<char>(random());
          break;
        case 1:
          bytes.erase(at, length);
          break;
        case 2:
          bytes.insert(at, bytes.substr(at, length));
          break;
        case 3:
          bytes.insert(at, seeds[random() % seeds.size()]);
          break;
        default:
          bytes.insert(at, length, static_cast<char>(random()));
          break;
      }
    }
    const ReadLimits limits{.head_bytes = 256, .body_bytes = 64};
    const ReadAll whole = read_all(bytes, bytes.size() + 1, limits);
    const ReadAll pieces = read_all(bytes, 1 + random() % 9, limits);
    // Where the pieces end changes nothing: not the requests, and not what is refused nor why.
    ASSERT_EQ(whole.requests.size(), pieces.requests.size()) << round;
    for (size_t i = 0; i < whole.requests.size(); ++i) {
      EXPECT_EQ(whole.requests[i].method, pieces.requests[i].method) << round;
      EXPECT_EQ(whole.requests[i].path, pieces.requests[i].path) << round;
      EXPECT_EQ(whole.requests[i].headers, pieces.requests[i].headers) << round;
      EXPECT_EQ(whole.requests[i].body, pieces.requests[i].body) << round;
    }
    EXPECT_EQ(whole.state, pieces.state) << round;
    EXPECT_EQ(whole.status, pieces.status) << round;
    for (const Request& request : whole.requests) {
      EXPECT_LE(request.body.size(), 64U);
      EXPECT_EQ(request.path.front(), '/');
    }
  }
}

TEST(Target, ParsesAddresses) {
  const auto target = parse_target("/a/%C3%A4?x=1&y&x=2&=3");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/a/ä");
  EXPECT_EQ(target->query.at("x"), "2");
  EXPECT_EQ(target->query.at("y"), "");
  EXPECT_FALSE(parse_target(""));
  EXPECT_FALSE(parse_target("?x"));
  EXPECT_FALSE(parse_target("*"));
}

}  // namespace
}  // namespace atto::http::request_reader_test
