#include "serve/http/server.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <set>
#include <thread>

#include "base/error.h"

namespace atto::http {
namespace asio = boost::asio;
using boost::system::error_code;
using Socket = asio::ip::tcp::socket;
using Clock = std::chrono::steady_clock;

namespace {
class Connection;
}

struct Server::State : std::enable_shared_from_this<Server::State> {
  asio::io_context io{1};
  asio::ip::tcp::acceptor acceptor{io};
  asio::steady_timer pause{io}, flush_timer{io};  // after an accept that failed; until streams are told again
  ServerLimits limits;
  AccessRules access;
  Handler handler;
  std::set<std::shared_ptr<Connection>> connections, streams;
  std::atomic<size_t> watching = 0;  // as many as there are streams, for other threads
  std::atomic<bool> woken = false;
  Clock::time_point last_flush;
  std::thread thread;

  void listen(const ServerOptions& options);
  void accept();
  void flush();
  void flush_soon();
  void run();
  void drop_all();
};

namespace {

// One client. It lives as long as something is read or written for it.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Server::State& server, Socket socket)
      : server_(server), socket_(std::move(socket)), timer_(server.io), reader_(server.limits.read) {
    error_code ignored;
    socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  }

  void begin() {
    if (server_.connections.size() > server_.limits.connections)
      return finish(refusal(503, "too many clients", "close a tab or two, and try again"));
    read();
  }

  // The stream's turn: what is new goes out, unless the client has not yet taken what went before.
  void tell() {
    if (!stream_) return;
    missed_ = writing_;
    if (writing_) return;
    events_.clear();
    const EventStream::Then then = stream_->append_new(events_);
    if (!events_.empty()) send_events(then);
    else if (then == EventStream::Then::end) drop();
  }

  void drop() {
    timer_.cancel();
    error_code ignored;
    socket_.shutdown(Socket::shutdown_both, ignored);
    socket_.close(ignored);
    stream_.reset();
    const auto self = shared_from_this();
    if (server_.streams.erase(self) > 0) --server_.watching;
    server_.connections.erase(self);
  }

 private:
  void deadline(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([self = shared_from_this()](error_code cancelled) {
      if (!cancelled) self->drop();
    });
  }

  void read() {
    const ServerLimits& limits = server_.limits;
    if (reader_.state() == RequestReader::State::body) deadline(limits.body_time);
    else if (!reader_.has_begun()) deadline(limits.idle_time);
    else if (!in_head_) deadline(limits.head_time);
    in_head_ = reader_.has_begun() && reader_.state() == RequestReader::State::head;
    socket_.async_read_some(asio::buffer(in_), [self = shared_from_this()](error_code problem, size_t count) {
      if (problem) return self->drop();
      self->reader_.feed({self->in_.data(), count});
      self->go_on();
    });
  }

  void go_on() {
    switch (reader_.state()) {
      case RequestReader::State::decide:
        if (std::optional<Response> refused = turn_away(reader_.request(), server_.access)) return finish(*refused);
        if (reader_.accept() == RequestReader::State::body && reader_.wants_continue()) return send_continue();
        return go_on();
      case RequestReader::State::head:
      case RequestReader::State::body:
        return read();
      case RequestReader::State::refused:
        return finish(reader_.refusal());
      case RequestReader::State::done:
        return handle();
    }
  }

  void send_continue() {
    out_ = "HTTP/1.1 100 Continue\r\n\r\n";
    write([](Connection& self) { self.read(); });
  }

  void handle() {
    timer_.cancel();
    in_head_ = false;
    Reply reply = [server = server_.shared_from_this(), self = shared_from_this()](Answer answer) {
      asio::post(server->io, [self, answer = std::move(answer)]() mutable { self->answer(std::move(answer)); });
    };
    try {
      server_.handler(std::move(reader_.request()), reply);
    } catch (const std::exception& error) {
      answer(refusal(500, error.what(), "this is a bug; please report it"));
    }
  }

  void answer(Answer answer) {
    if (!socket_.is_open()) return;
    if (Response* const response = std::get_if<Response>(&answer)) {
      if (!reader_.keep_alive()) return finish(*response);
      out_ = to_bytes(*response, true);
      return write([](Connection& self) {
        self.reader_.next();
        self.go_on();
      });
    }
    if (server_.streams.size() >= server_.limits.streams)
      return finish(refusal(503, "too many streams", "close a tab or two, and try again"));
    stream_ = std::get<std::shared_ptr<EventStream>>(std::move(answer));
    server_.streams.insert(shared_from_this());
    ++server_.watching;  // before it asks what there is: what comes after that wakes it
    notice_end();
    events_.clear();
    events_.add(stream_head());
    send_events(stream_->append_new(events_));
  }

  void send_events(EventStream::Then then) {
    std::vector<asio::const_buffer> texts;
    for (const Events::Text& text : events_.texts()) texts.push_back(asio::buffer(*text));
    write(texts, [then](Connection& self) {
      self.events_.clear();  // of a text that many were told, the last one to take it frees the memory
      if (then == EventStream::Then::end) return self.drop();
      self.beat();
      if (then == EventStream::Then::soon) self.server_.flush_soon();
      if (self.missed_ || then == EventStream::Then::again) self.tell();
    });
  }

  void beat() {
    timer_.expires_after(server_.limits.beat);
    timer_.async_wait([self = shared_from_this()](error_code cancelled) {
      if (cancelled || self->writing_ || !self->stream_) return;
      self->events_.clear();
      self->events_.add(": still here\n\n");
      self->send_events(EventStream::Then::wait);
    });
  }

  // A client of a stream has nothing more to say, so reading tells when it goes.
  void notice_end() {
    socket_.async_read_some(asio::buffer(in_), [self = shared_from_this()](error_code problem, size_t) {
      if (problem) return self->drop();
      self->notice_end();
    });
  }

  // Says this, and that it was the last.
  void finish(const Response& response) {
    out_ = to_bytes(response, false);
    write([](Connection& self) {
      error_code ignored;
      self.socket_.shutdown(Socket::shutdown_send, ignored);
      // What the client still sends is thrown away for a moment: a socket closed over unread bytes takes back the
      // answer.
      self.deadline(std::min(kLinger, self.server_.limits.idle_time));
      self.read_off();
    });
  }

  void read_off() {
    socket_.async_read_some(asio::buffer(in_), [self = shared_from_this()](error_code problem, size_t count) {
      self->thrown_away_ += count;
      if (problem || self->thrown_away_ > kMostThrownAway) return self->drop();
      self->read_off();
    });
  }

  template <class Then>
  void write(Then then) {
    write(asio::buffer(out_), then);
  }

  // The bytes stay where they are until it is done.
  template <class Buffers, class Then>
  void write(const Buffers& bytes, Then then) {
    writing_ = true;
    deadline(server_.limits.write_time);
    asio::async_write(socket_, bytes, [self = shared_from_this(), then](error_code problem, size_t) {
      self->writing_ = false;
      if (problem) return self->drop();
      then(*self);
    });
  }

  static constexpr std::chrono::milliseconds kLinger{1000};
  static constexpr size_t kMostThrownAway = 1 << 20;

  Server::State& server_;
  Socket socket_;
  asio::steady_timer timer_;
  RequestReader reader_;
  std::array<char, 16'384> in_{};
  std::string out_;
  Events events_;
  std::shared_ptr<EventStream> stream_;
  bool writing_ = false, in_head_ = false;
  bool missed_ = false;  // something new came while the client was taking what it had
  size_t thrown_away_ = 0;
};

}  // namespace

void Server::State::listen(const ServerOptions& options) {
  error_code problem;
  const asio::ip::address address = asio::ip::make_address(options.address, problem);
  if (problem)
    throw Error(ErrorKind::usage, "'" + options.address + "' is no address",
                "leave --address out to be reached from this machine only");
  for (int port = options.port; port < options.port + std::max(options.ports_to_try, 1) && port <= 65'535; ++port) {
    problem = {};
    const asio::ip::tcp::endpoint endpoint(address, static_cast<unsigned short>(port));
    acceptor = asio::ip::tcp::acceptor(io);
    acceptor.open(endpoint.protocol(), problem);
    // A port of which old connections remain can be used again at once; one that somebody listens at cannot.
    if (!problem) acceptor.set_option(asio::socket_base::reuse_address(true), problem);
    if (!problem) acceptor.bind(endpoint, problem);
    if (!problem) acceptor.listen(asio::socket_base::max_listen_connections, problem);
    if (!problem) break;
  }
  if (problem)
    throw Error(ErrorKind::resources,
                "cannot listen at " + options.address + ":" + std::to_string(options.port) + ": " + problem.message(),
                "name another port, or --port 0 for any that is free");
  access.port = acceptor.local_endpoint().port();
}

void Server::State::accept() {
  acceptor.async_accept([this](error_code problem, Socket socket) {
    if (!acceptor.is_open()) return;
    if (!problem) {
      const auto connection = std::make_shared<Connection>(*this, std::move(socket));
      connections.insert(connection);
      connection->begin();
      return accept();
    }
    pause.expires_after(limits.between_events);  // no more files may be open, perhaps
    pause.async_wait([this](error_code cancelled) {
      if (!cancelled) accept();
    });
  });
}

// Tells every stream what is new, and soon again if something comes in meanwhile.
void Server::State::flush() {
  const Clock::time_point due = last_flush + limits.between_events;
  if (!woken) return;
  if (Clock::now() < due) {
    flush_timer.expires_at(due);
    flush_timer.async_wait([this](error_code cancelled) {
      if (!cancelled) flush();
    });
    return;
  }
  woken = false;
  last_flush = Clock::now();
  for (const auto& stream : std::set(streams)) stream->tell();
}

void Server::State::flush_soon() {
  if (!woken.exchange(true)) flush();
}

void Server::State::run() {
  pthread_setname_np(pthread_self(), "atto-http");  // so that its share of the time can be seen
  while (true) {
    try {
      io.run();
      return;
    } catch (const std::exception&) {  // one client's; the others go on
    }
  }
}

void Server::State::drop_all() {
  error_code ignored;
  acceptor.close(ignored);
  pause.cancel();
  flush_timer.cancel();
  for (const auto& connection : std::set(connections)) connection->drop();
  io.stop();
}

Server::Server(const ServerOptions& options) : state_(std::make_shared<State>()) {
  state_->limits = options.limits;
  state_->access.token = options.token.empty() ? random_token() : options.token;
  state_->access.allowed_hosts = options.allowed_hosts;
  state_->listen(options);
}

Server::~Server() { stop(); }

const AccessRules& Server::access() const { return state_->access; }

void Server::start(Handler handler) {
  state_->handler = std::move(handler);
  state_->accept();
  state_->thread = std::thread([state = state_.get()] { state->run(); });
}

void Server::wake() {
  if (state_->watching == 0 || state_->woken.exchange(true)) return;
  asio::post(state_->io, [state = state_.get()] { state->flush(); });
}

void Server::stop() {
  if (!state_->thread.joinable()) return;
  asio::post(state_->io, [state = state_.get()] { state->drop_all(); });
  state_->thread.join();
  state_->handler = nullptr;
}

}  // namespace atto::http
