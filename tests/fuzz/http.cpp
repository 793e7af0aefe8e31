// Requests of HTTP: any bytes are refused, or are the same requests in whatever pieces they come.
#include <vector>

#include "fuzz.h"
#include "serve/http/access.h"
#include "serve/http/request_reader.h"

namespace atto::fuzz {
namespace {

using State = http::RequestReader::State;

// Small ones, so that they are reached.
constexpr http::ReadLimits kLimits{512, 2048};

struct Read {
  std::vector<std::string> requests;  // in words
  State state = State::head;
  // The parser may see sooner or later that the last one will be none.
  bool same(const Read& other) const {
    return requests == other.requests &&
           (state == other.state || state == State::refused || other.state == State::refused);
  }
};

std::string in_words(const http::Request& request) {
  std::string words = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) words += "\n" + name + "=" + value;
  for (const auto& [name, value] : request.headers) words += "\n" + name + ": " + value;
  return words + "\n\n" + request.body;
}

Read read_in_pieces(const std::string& bytes, size_t piece) {
  const http::AccessRules rules{8321, "secret", {"hub.example.org"}};
  http::RequestReader reader(kLimits);
  Read read;
  for (size_t at = 0; at < bytes.size() && reader.state() != State::refused; at += piece) {
    State state = reader.feed(std::string_view(bytes).substr(at, piece));
    while (state == State::decide || state == State::done) {
      if (state == State::decide) {
        if (const auto refused = turn_away(reader.request(), rules)) {
          const std::string answer = to_bytes(*refused, false);
          require(answer.find("\r\n\r\n") + 4 + refused->body.size() == answer.size(), "nobody adds to a head");
        }
        state = reader.accept();
      } else {
        read.requests.push_back(in_words(reader.request()));
        state = reader.next();
      }
    }
  }
  read.state = reader.state();
  if (read.state == State::refused) to_bytes(reader.refusal(), false);
  return read;
}

}  // namespace
}  // namespace atto::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atto;
  if (size < 2) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const size_t piece = 1 + data[0] % 64;
  fuzz::require(fuzz::read_in_pieces(bytes, bytes.size()).same(fuzz::read_in_pieces(bytes, piece)),
                "requests are the same in any pieces");
  return 0;
}
