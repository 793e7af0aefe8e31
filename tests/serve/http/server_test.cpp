// The server on a socket of the loopback: what it answers, whom it drops, and that nobody holds it up.
#include "serve/http/server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <mutex>

#include "base/error.h"

namespace atto::http::server_test {
namespace {

// A client that speaks in bytes. A test that waits for what never comes fails after a while.
class Client {
 public:
  explicit Client(int port, int receive_buffer = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
    const timeval patience{60, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ~Client() { close(socket_); }
  Client(const Client&) = delete;

  void say(const std::string& bytes) { send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL); }
  // Everything up to and with `end`, or until the server hangs up.
  std::string hear(const std::string& end) {
    while (true) {
      if (const size_t found = heard_.find(end); found != std::string::npos) {
        const std::string part = heard_.substr(0, found + end.size());
        heard_.erase(0, part.size());
        return part;
      }
      std::array<char, 4096> buffer;
      const ssize_t count = recv(socket_, buffer.data(), buffer.size(), 0);
      if (count <= 0) {
        hung_up_ = count == 0;
        return std::exchange(heard_, "");
      }
      heard_.append(buffer.data(), static_cast<size_t>(count));
    }
  }
  bool hangs_up() {
    hear("\x01 never said");
    return hung_up_;
  }

 private:
  int socket_;
  std::string heard_;
  bool hung_up_ = false;
};

// Numbers from 1 on, as fast as the client takes them.
struct Numbers {
  std::atomic<int> last = 0;
  std::atomic<int> end = 1 << 30;
  std::promise<void> gone;
};
class NumberStream final : public EventStream {
 public:
  explicit NumberStream(std::shared_ptr<Numbers> numbers, size_t padding)
      : numbers_(std::move(numbers)), padding_(padding) {}
  ~NumberStream() override { numbers_->gone.set_value(); }
  Then append_new(Events& events) override {
    const int last = numbers_->last;
    if (last > told_) events.add("data: " + std::to_string(last) + std::string(padding_, '.') + "\n\n");
    told_ = last;
    return last >= numbers_->end ? Then::end : Then::wait;
  }

 private:
  std::shared_ptr<Numbers> numbers_;
  size_t padding_;
  int told_ = 0;
};

// Three numbers, one at a time: what comes next is there, and can wait.
class PatientStream final : public EventStream {
 public:
  Then append_new(Events& events) override {
    events.add("data: " + std::to_string(++told_) + "\n\n");
    return told_ < 3 ? Then::soon : Then::end;
  }

 private:
  int told_ = 0;
};

class ServerTest : public testing::Test {
 protected:
  void start(const ServerLimits& limits = {}) {
    server = std::make_unique<Server>(ServerOptions{.port = 0, .token = "secret", .limits = limits});
    server->start([this](Request request, Reply reply) {
      if (request.path == "/numbers") return reply(std::make_shared<NumberStream>(numbers, 0));
      if (request.path == "/many") return reply(std::make_shared<NumberStream>(numbers, 1'000'000));
      if (request.path == "/patient") return reply(std::make_shared<PatientStream>());
      if (request.path == "/fails") throw std::runtime_error("a slip");
      reply(Response{.type = "text/plain", .body = request.method + " " + request.path + " " + request.body});
    });
  }
  int port() const { return server->access().port; }
  std::string head(const std::string& first_line) const {
    return first_line + " HTTP/1.1\r\nHost: localhost:" + std::to_string(port()) +
           "\r\nAuthorization: Bearer secret\r\n";
  }
  std::string get(const std::string& path) const { return head("GET " + path) + "\r\n"; }

  std::shared_ptr<Numbers> numbers = std::make_shared<Numbers>();
  std::unique_ptr<Server> server;
};

TEST_F(ServerTest, AnswersOneRequestAfterTheOther) {
  start();
  Client client(port());
  client.say(get("/one") + head("POST /two") + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_NE(client.hear("GET /one ").find("HTTP/1.1 200 OK\r\n"), std::string::npos);
  const std::string second = client.hear("POST /two {}");
  EXPECT_NE(second.find("X-Content-Type-Options: nosniff\r\n"), std::string::npos);
  EXPECT_NE(second.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(second.find("Access-Control"), std::string::npos);
  client.say(get("/three"));
  EXPECT_NE(client.hear("GET /three "), "");
}

TEST_F(ServerTest, ReadsNoBodyOfSomebodyItDoesNotKnow) {
  start();
  Client client(port());
  client.say("POST /api/ask HTTP/1.1\r\nHost: localhost:" + std::to_string(port()) +
             "\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n");
  EXPECT_NE(client.hear("each start has a new one").find("HTTP/1.1 401 "), std::string::npos);
  EXPECT_TRUE(client.hangs_up());
}

TEST_F(ServerTest, SaysWhatIsWrongAndHangsUp) {
  start();
  for (const auto& [bytes, answer] : std::vector<std::pair<std::string, std::string>>{
           {"nonsense\r\n\r\n", "HTTP/1.1 400 "},
           {get("/" + std::string(20'000, 'x')), "HTTP/1.1 431 "},
           {head("POST /") + "Content-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n",
            "HTTP/1.1 413 "}}) {
    Client client(port());
    client.say(bytes);
    EXPECT_EQ(client.hear("\r\n").substr(0, answer.size()), answer);
    EXPECT_TRUE(client.hangs_up());
  }
  Client client(port());
  client.say(get("/fails"));
  EXPECT_EQ(client.hear("\r\n").substr(0, 13), "HTTP/1.1 500 ") << "and goes on";
  client.say(get("/on"));
  EXPECT_NE(client.hear("GET /on "), "");
}

TEST_F(ServerTest, TellsAClientToSendItsBody) {
  start();
  Client client(port());
  client.say(head("POST /x") + "Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(client.hear("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.say("[]");
  EXPECT_NE(client.hear("POST /x []"), "");
}

TEST_F(ServerTest, DropsWhoNeverFinishes) {
  start({.head_time = std::chrono::milliseconds(20),
         .body_time = std::chrono::milliseconds(20),
         .idle_time = std::chrono::milliseconds(20)});
  Client silent(port()), in_head(port()), in_body(port());
  in_head.say("GET / HTTP/1.1\r\nHost:");
  in_body.say(head("POST /") + "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{");
  EXPECT_TRUE(silent.hangs_up());
  EXPECT_TRUE(in_head.hangs_up());
  EXPECT_TRUE(in_body.hangs_up());
}

TEST_F(ServerTest, TurnsAwayOneClientTooMany) {
  start({.connections = 2});
  Client first(port()), second(port());
  first.say(get("/a"));
  first.hear("GET /a ");
  second.say(get("/b"));
  second.hear("GET /b ");
  Client third(port());
  EXPECT_NE(third.hear("too many clients").find("HTTP/1.1 503 "), std::string::npos);
}

TEST_F(ServerTest, TellsStreamsWhatIsNew) {
  start();
  Client client(port());
  client.say(get("/numbers"));
  EXPECT_NE(client.hear("\r\n\r\n").find("Content-Type: text/event-stream\r\n"), std::string::npos);
  for (int i = 1; i <= 3; ++i) {
    numbers->last = i;
    server->wake();
    EXPECT_EQ(client.hear("\n\n"), "data: " + std::to_string(i) + "\n\n");
  }
  numbers->end = 4;
  numbers->last = 4;
  server->wake();
  EXPECT_EQ(client.hear("\n\n"), "data: 4\n\n");
  EXPECT_TRUE(client.hangs_up());
  numbers->gone.get_future().wait();
}

TEST_F(ServerTest, NoticesAClientThatGoes) {
  start();
  {
    Client client(port());
    client.say(get("/numbers"));
    client.hear("\r\n\r\n");
  }
  numbers->gone.get_future().wait();
}

// One client does not read its megabytes. Another one gets every number, and the slow one, once it reads, the last.
TEST_F(ServerTest, IsNotHeldUpByASlowClientWhichGetsTheLastStateAllTheSame) {
  start({.between_events = std::chrono::milliseconds(0)});
  const auto slow_numbers = numbers;
  Client slow(port(), 4096);
  slow.say(get("/many"));
  slow.hear("\r\n\r\n");
  numbers = std::make_shared<Numbers>();
  Client quick(port());
  quick.say(get("/numbers"));
  quick.hear("\r\n\r\n");
  constexpr int kLast = 300;
  for (int i = 1; i <= kLast; ++i) {
    slow_numbers->last = numbers->last = i;
    server->wake();
    ASSERT_EQ(quick.hear("\n\n"), "data: " + std::to_string(i) + "\n\n");
  }
  int events = 0;
  std::string last;
  while (last != "data: 300") {
    const std::string event = slow.hear("\n\n");
    ASSERT_FALSE(event.empty());
    last = event.substr(0, event.find('.'));
    ++events;
  }
  EXPECT_LT(events, kLast / 2) << "it skips what it could not take";
}

TEST_F(ServerTest, ComesBackForWhatCanWaitThoughNobodyWakesIt) {
  start();
  Client client(port());
  client.say(get("/patient"));
  client.hear("\r\n\r\n");
  for (const char* number : {"1", "2", "3"})
    EXPECT_EQ(client.hear("\n\n"), "data: " + std::string(number) + "\n\n");
  EXPECT_TRUE(client.hangs_up());
}

TEST_F(ServerTest, BeatsWhileNothingHappens) {
  start({.beat = std::chrono::milliseconds(1)});
  Client client(port());
  client.say(get("/numbers"));
  client.hear("\r\n\r\n");
  EXPECT_EQ(client.hear("\n\n"), ": still here\n\n");
  EXPECT_EQ(client.hear("\n\n"), ": still here\n\n");
}

TEST_F(ServerTest, StopsUnderItsClients) {
  start();
  Client stream(port()), silent(port());
  stream.say(get("/numbers"));
  stream.hear("\r\n\r\n");
  server->stop();
  EXPECT_TRUE(stream.hangs_up());
  EXPECT_TRUE(silent.hangs_up());
  numbers->gone.get_future().wait();
  server->wake();  // by a thread that does not know yet
}

TEST_F(ServerTest, SaysThatThePortIsTaken) {
  start();
  try {
    const Server second({.port = port()});
    FAIL() << "two servers at one port";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::resources);
    EXPECT_NE(std::string(error.what()).find(std::to_string(port())), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("--port 0"), std::string::npos);
  }
  const Server next({.port = port(), .ports_to_try = 100});
  EXPECT_GT(next.access().port, port());
  EXPECT_THROW(Server({.address = "nowhere"}), Error);
}

}  // namespace
}  // namespace atto::http::server_test
