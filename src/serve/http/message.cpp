#include "serve/http/message.h"

#include "base/json_library.h"

namespace atto::http {
namespace {

// No other site may frame the page, read an answer or be told where a reader came from, and nothing is kept on disk.
// The page's own policy (web/) says what its scripts may do; this one also allows the page to ask its server.
constexpr std::string_view kSafety =
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src "
    "blob:; "
    "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Frame-Options: DENY\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Cache-Control: no-store\r\n";

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 303:
      return "See Other";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
  }
  return status < 500 ? "Bad Request" : "Internal Server Error";
}

const std::string& find_or_empty(const std::map<std::string, std::string>& values, const std::string& name) {
  static const std::string kEmpty;
  const auto found = values.find(name);
  return found == values.end() ? kEmpty : found->second;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> decode(std::string_view text, bool form) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && form) c = ' ';
    if (c == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1, low = high < 0 ? -1 : hex_digit(text[i + 2]);
      if (low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (static_cast<unsigned char>(c) < 0x20) return std::nullopt;
    decoded += c;
  }
  return decoded;
}

}  // namespace

const std::string& Request::header(const std::string& name) const { return find_or_empty(headers, name); }
const std::string& Request::parameter(const std::string& name) const { return find_or_empty(query, name); }

Response refusal(int status, const std::string& message, const std::string& remedy) {
  nlohmann::ordered_json error{{"message", message}};
  if (!remedy.empty()) error["remedy"] = remedy;
  const nlohmann::ordered_json all{{"error", std::move(error)}};
  return {status, "application/json", all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)};
}

std::string to_bytes(const Response& response, bool keep_alive) {
  std::string bytes =
      "HTTP/1.1 " + std::to_string(response.status) + " " + std::string(reason(response.status)) + "\r\n";
  bytes += "Content-Type: " + response.type + "\r\nContent-Length: " + std::to_string(response.body.size()) + "\r\n";
  for (const auto& [name, value] : response.headers) bytes += name + ": " + value + "\r\n";
  bytes += kSafety;
  if (!keep_alive) bytes += "Connection: close\r\n";
  return bytes + "\r\n" + response.body;
}

std::string stream_head() {
  // The last header tells nginx, which stands before many notebooks, not to collect events.
  return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + std::string(kSafety) +
         "Connection: close\r\nX-Accel-Buffering: no\r\n\r\n";
}

std::optional<Target> parse_target(std::string_view text) {
  const size_t mark = text.find('?');
  const auto path = decode(text.substr(0, mark), false);
  if (!path || path->empty() || path->front() != '/') return std::nullopt;
  Target target{*path, {}};
  if (mark == std::string_view::npos) return target;
  for (std::string_view rest = text.substr(mark + 1); !rest.empty();) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
    const size_t equals = pair.find('=');
    const auto name = decode(pair.substr(0, equals), true);
    const auto value = decode(equals == std::string_view::npos ? "" : pair.substr(equals + 1), true);
    if (!name || !value) return std::nullopt;
    target.query[*name] = *value;
  }
  return target;
}

}  // namespace atto::http
