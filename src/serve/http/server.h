// Connections, requests and streams of events: the part of the server that knows the network (Boost.Asio) and nothing
// of what is asked. One thread does all of it and never waits for a client.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "serve/http/access.h"
#include "serve/http/request_reader.h"

namespace atto::http {

// Texts that go out one after the other. Those that many clients are told are shared and not copied.
class Events {
 public:
  using Text = std::shared_ptr<const std::string>;
  void add(Text text) { texts_.push_back(std::move(text)); }
  void add(std::string text) { add(std::make_shared<const std::string>(std::move(text))); }
  void clear() { texts_.clear(); }
  bool empty() const { return texts_.empty(); }
  const std::vector<Text>& texts() const { return texts_; }

 private:
  std::vector<Text> texts_;
};

// What one client is told as it happens (server-sent events). It is asked on the server's thread, when the client has
// taken what it was told before: a client that is slow is asked less often, and nothing piles up for it.
class EventStream {
 public:
  virtual ~EventStream() = default;  // the client is gone, or all was said
  enum class Then {
    wait,   // until somebody calls wake()
    soon,   // there is more already; it can wait for the usual time between two events
    again,  // there is more, as soon as the client has taken this
    end,    // this was the last
  };
  // Appends what is new for this client; nothing where nothing is.
  virtual Then append_new(Events& events) = 0;
};

using Answer = std::variant<Response, std::shared_ptr<EventStream>>;
using Reply = std::function<void(Answer)>;  // called once, by any thread
// Called on the server's thread, so it must be quick; what takes time is answered by another thread.
using Handler = std::function<void(Request, Reply)>;

struct ServerLimits {
  ReadLimits read = {};
  size_t connections = 160;
  size_t streams = 80;
  std::chrono::milliseconds head_time{10'000};   // for the head of a request
  std::chrono::milliseconds body_time{60'000};   // for its body
  std::chrono::milliseconds idle_time{60'000};   // between two requests
  std::chrono::milliseconds write_time{60'000};  // for a client to take an answer, or the next events
  std::chrono::milliseconds beat{15'000};        // a stream says at least so often that it is there
  std::chrono::milliseconds between_events{50};  // at least, for each client
};

struct ServerOptions {
  std::string address = "127.0.0.1";
  int port = 8321;         // 0: any that is free
  int ports_to_try = 1;    // the next ones where it is taken
  std::string token = {};  // "": a random one
  std::vector<std::string> allowed_hosts = {};
  ServerLimits limits = {};
};

class Server {
 public:
  // Listens from here on. Error(resources) where the port is taken, Error(usage) for an address that is none.
  explicit Server(const ServerOptions& options);
  ~Server();  // as stop()

  const AccessRules& access() const;
  void start(Handler handler);
  void wake();  // by any thread: streams may have something new to tell
  void stop();  // drops all clients; afterwards nothing is called any more

  struct State;  // internal to the server

 private:
  std::shared_ptr<State> state_;
};

}  // namespace atto::http
