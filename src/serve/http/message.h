// What a browser asks and what it is told. Nothing here knows the network.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atto::http {

struct Request {
  std::string method;  // "GET"
  std::string path;    // "/api/ask", percent signs resolved
  std::map<std::string, std::string> query = {};
  std::map<std::string, std::string> headers = {};  // names in lower case
  std::string body = {};

  // What the header says, "" where there is none.
  const std::string& header(const std::string& name) const;
  const std::string& parameter(const std::string& name) const;  // of the query
};

struct Response {
  int status = 200;
  std::string type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// {"error": {"message", "remedy"}}: the form that every refusal of the server has.
Response refusal(int status, const std::string& message, const std::string& remedy = "");

// The bytes of a response, with the headers that all of them carry.
std::string to_bytes(const Response& response, bool keep_alive);
// The bytes before the events of a stream (server-sent events), which ends with the connection.
std::string stream_head();

// "/a%20b?x=1&y" taken apart; nothing where the percent signs make no sense or the path does not begin with '/'.
struct Target {
  std::string path;
  std::map<std::string, std::string> query = {};
};
std::optional<Target> parse_target(std::string_view text);

}  // namespace atto::http
