#include "serve/http/request_reader.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

namespace atto::http {
namespace beast = boost::beast::http;
using boost::system::error_code;
namespace {

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

Response refusal_of(const error_code& problem, const ReadLimits& limits) {
  if (problem == beast::error::body_limit)
    return refusal(413, "the request is too long, of at most " + std::to_string(limits.body_bytes) + " bytes");
  return refusal(400, "this is no request of HTTP 1.1: " + problem.message());
}

bool decides_access(const std::string& header) {
  return header == "host" || header == "origin" || header == "cookie" || header == "authorization" ||
         header == "content-type" || header.starts_with("sec-fetch-");
}

}  // namespace

struct RequestReader::Parser {
  explicit Parser(const ReadLimits& limits) { restart(limits); }
  void restart(const ReadLimits& limits) {
    parser.emplace();
    parser->header_limit(static_cast<std::uint32_t>(limits.head_bytes) + 1);  // its length was looked at before
    parser->body_limit(limits.body_bytes);
    request = {};
    keep_alive = false;
    searched = 0;
  }

  std::optional<beast::request_parser<beast::string_body>> parser;
  std::string waiting;  // bytes not yet parsed
  size_t searched = 0;  // of these, where a head that ends must end later
  Request request;
  Response refusal;
  bool keep_alive = false;
};

RequestReader::RequestReader(const ReadLimits& limits) : limits_(limits), parser_(std::make_unique<Parser>(limits)) {}
RequestReader::~RequestReader() = default;

Request& RequestReader::request() { return parser_->request; }
const Response& RequestReader::refusal() const { return parser_->refusal; }
bool RequestReader::keep_alive() const { return parser_->keep_alive; }
bool RequestReader::wants_continue() const { return parser_->request.header("expect") == "100-continue"; }
bool RequestReader::has_begun() const { return !parser_->waiting.empty() || state_ != State::head; }

RequestReader::State RequestReader::refuse(Response response) {
  parser_->refusal = std::move(response);
  return state_ = State::refused;
}

RequestReader::State RequestReader::feed(std::string_view bytes) {
  parser_->waiting += bytes;
  return work();
}

RequestReader::State RequestReader::accept() {
  if (state_ != State::decide) return state_;
  state_ = State::body;
  parser_->parser->eager(true);
  return work();
}

RequestReader::State RequestReader::next() {
  if (state_ != State::done) return state_;
  parser_->restart(limits_);
  state_ = State::head;
  return work();
}

RequestReader::State RequestReader::work() {
  if (state_ == State::head) return read_head();
  return state_ == State::body ? read_body() : state_;
}

// The parser gets a head when all of it is there, and reads nothing else until it is told to be eager: given a part, it
// would wait for the rest before it judges, and so judge differently; and its own limit counts the first line and the
// fields apart where it has both at once.
RequestReader::State RequestReader::read_head() {
  std::string& waiting = parser_->waiting;
  if (waiting.empty()) return state_;
  // Told at once, since those who try https or speak something else do not end a head.
  if (!is_letter(waiting.front())) return refuse(http::refusal(400, "this is no request of HTTP 1.1"));
  constexpr std::string_view kEnd = "\r\n\r\n";
  const size_t found = waiting.find(kEnd, parser_->searched);
  const size_t length = found == std::string::npos ? waiting.size() : found + kEnd.size();
  if (length > limits_.head_bytes || (found == std::string::npos && length == limits_.head_bytes))
    return refuse(http::refusal(431, "the head of the request is too long"));
  if (found == std::string::npos) {
    parser_->searched = length < kEnd.size() ? 0 : length - kEnd.size() + 1;
    return state_;
  }
  error_code problem;
  parser_->parser->put(boost::asio::buffer(waiting, length), problem);
  waiting.erase(0, length);
  if (problem) return refuse(refusal_of(problem, limits_));
  if (!parser_->parser->is_header_done()) return refuse(http::refusal(400, "the head of the request ends too soon"));
  return take_head() ? state_ = State::decide : state_;
}

// In slices, so that the line before a chunk and what follows the last one are held to the limit of a head too: the
// parser takes such a line whole or not at all.
RequestReader::State RequestReader::read_body() {
  Parser& all = *parser_;
  size_t done = 0;
  error_code problem;
  while (!all.parser->is_done() && done < all.waiting.size()) {
    const size_t slice = std::min(all.waiting.size() - done, limits_.head_bytes);
    const size_t used = all.parser->put(boost::asio::buffer(all.waiting.data() + done, slice), problem);
    done += used;
    if (problem == beast::error::need_more) {
      problem = {};
      if (used == 0 && slice == limits_.head_bytes)
        return refuse(http::refusal(431, "a line between two parts of the request is too long"));
      if (used == 0) break;
    }
    if (problem) return refuse(refusal_of(problem, limits_));
  }
  all.waiting.erase(0, done);
  if (!all.parser->is_done()) return state_;
  all.request.body = std::move(all.parser->get().body());
  return state_ = State::done;
}

bool RequestReader::take_head() {
  const auto& head = parser_->parser->get();
  Request& request = parser_->request;
  const auto target = head.target();
  const std::optional<Target> parsed = parse_target({target.data(), target.size()});
  if (!parsed) {
    refuse(http::refusal(400, "the address of the request makes no sense"));
    return false;
  }
  request.method.assign(head.method_string().data(), head.method_string().size());
  request.path = parsed->path;
  request.query = parsed->query;
  for (const auto& field : head) {
    std::string name(field.name_string().data(), field.name_string().size());
    for (char& c : name)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const std::string value(field.value().data(), field.value().size());
    const auto [first, added] = request.headers.emplace(name, value);
    if (added) continue;
    // Two of a kind can be read in two ways, which is how checks are passed by. Others may be lists.
    if (decides_access(name)) {
      refuse(http::refusal(400, "the request says '" + name + "' twice"));
      return false;
    }
    first->second += ", " + value;
  }
  parser_->keep_alive = head.keep_alive();
  return true;
}

}  // namespace atto::http
