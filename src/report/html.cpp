#include "report/html.h"

#include <algorithm>

namespace atto {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string element(std::string_view name, std::string_view content, std::string_view attributes) {
  std::string out = "<";
  out.append(name);
  if (!attributes.empty()) out.append(" ").append(attributes);
  out.append(">").append(content).append("</").append(name).append(">");
  return out;
}

std::string text_element(std::string_view name, std::string_view text, std::string_view attributes) {
  return element(name, escaped(text), attributes);
}

std::string script_json(const Json& json) {
  std::string out;
  for (const char c : json.dump(-1, ' ', false, Json::error_handler_t::replace))
    out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return out;
}

std::string slug(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) out += c;
    else if (!out.empty() && out.back() != '-') out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  return out.empty() ? "x" : out;
}

std::string linked(std::string_view text) {
  const size_t start = text.find("https://");
  if (start == std::string_view::npos) return escaped(text);
  size_t end = text.find_first_of(" \t\n\"'<>(),;", start);
  if (end == std::string_view::npos) end = text.size();
  const std::string address = escaped(text.substr(start, end - start));
  return escaped(text.substr(0, start)) + element("a", address, "href=\"" + address + "\" rel=\"noopener\"") +
         linked(text.substr(end));
}

}  // namespace atto
