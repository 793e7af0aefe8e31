// Requests out of the bytes of a connection, in whatever pieces they come. Hides the parser (Boost.Beast), a large
// header.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "serve/http/message.h"

namespace atto::http {

struct ReadLimits {
  size_t head_bytes = 16'384;
  size_t body_bytes = 32'000'000;
};

class RequestReader {
 public:
  explicit RequestReader(const ReadLimits& limits = {});
  ~RequestReader();

  enum class State {
    head,     // more bytes are needed
    decide,   // the head is there: request() has it, without its body. Go on with accept(), or drop the connection
    body,     // more bytes are needed
    done,     // request() is whole; next() begins another one
    refused,  // no more can be read: refusal() says why
  };
  // Takes the bytes, all of them; what belongs to a later request is kept.
  State feed(std::string_view bytes);
  State accept();
  State next();
  State state() const { return state_; }

  Request& request();
  const Response& refusal() const;
  bool keep_alive() const;      // whether the client will send another request
  bool wants_continue() const;  // the client waits for "100 Continue" before it sends its body
  bool has_begun() const;       // some bytes of a request are there

 private:
  struct Parser;
  State work();
  State read_head();
  State read_body();
  State refuse(Response response);
  bool take_head();

  ReadLimits limits_;
  State state_ = State::head;
  std::unique_ptr<Parser> parser_;
};

}  // namespace atto::http
