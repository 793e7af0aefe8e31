#include "serve/http/request_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

namespace atto::http {
namespace beast = boost::beast::http;
namespace {

bool decides_access(const std::string& header) {
  return header == "host" || header == "origin" || header == "cookie" || header == "authorization" ||
         header == "content-type" || header.starts_with("sec-fetch-");
}

}  // namespace

struct RequestReader::Parser {
  explicit Parser(const ReadLimits& limits) { restart(limits); }
  void restart(const ReadLimits& limits) {
    parser.emplace();
    parser->header_limit(static_cast<std::uint32_t>(limits.head_bytes));
    parser->body_limit(limits.body_bytes);
    request = {};
    keep_alive = false;
  }

  std::optional<beast::request_parser<beast::string_body>> parser;
  std::string waiting;  // bytes not yet parsed
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

// The parser reads the head alone until it is told to be eager.
RequestReader::State RequestReader::work() {
  if (state_ != State::head && state_ != State::body) return state_;
  Parser& all = *parser_;
  boost::system::error_code problem;
  // What waits behind a whole request is the next one.
  if (!all.waiting.empty() && !all.parser->is_done()) {
    const size_t used = all.parser->put(boost::asio::buffer(all.waiting), problem);
    all.waiting.erase(0, used);
  }
  if (problem == beast::error::need_more) problem = {};
  if (problem == beast::error::header_limit) return refuse(http::refusal(431, "the head of the request is too long"));
  if (problem == beast::error::body_limit)
    return refuse(
        http::refusal(413, "the request is too long, of at most " + std::to_string(limits_.body_bytes) + " bytes"));
  if (problem) return refuse(http::refusal(400, "this is no request of HTTP 1.1: " + problem.message()));
  if (state_ == State::head) {
    if (!all.parser->is_header_done()) return state_;
    return take_head() ? state_ = State::decide : state_;
  }
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
