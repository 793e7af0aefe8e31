#include "app/terminal/safe_output.h"

#include <array>
#include <cstdio>

namespace atto {
namespace {

constexpr size_t kPassedOn = 1 << 16;  // bytes that are collected at most

// The length of a sequence of our own that begins here, 0 if there is none. A line is redrawn from the start of what is
// printed.
size_t own_sequence(std::string_view text, size_t at) {
  constexpr std::array<std::string_view, 7> kOwn{"\x1b[0m",  "\x1b[1m",  "\x1b[2m", "\x1b[31m",
                                                 "\x1b[32m", "\x1b[33m", "\x1b[K"};
  for (const std::string_view one : kOwn)
    if (text.substr(at).starts_with(one)) return one.size();
  return at == 0 && text.starts_with('\r') ? 1 : 0;
}

void add_escape(std::string& out, unsigned code) {
  std::array<char, 8> escape{};
  std::snprintf(escape.data(), escape.size(), "\\u%04x", code);
  out += escape.data();
}

// Bytes that continue a character of UTF-8 whose first byte this is; none for one that begins nothing.
size_t continued_by(unsigned char first) {
  if (first >= 0xF0) return first < 0xF8 ? 3 : 0;
  if (first >= 0xE0) return 2;
  return first >= 0xC2 ? 1 : 0;
}

}  // namespace

std::string without_controls(std::string_view text, bool own) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (const size_t ours = own && (byte == 0x1b || byte == '\r') ? own_sequence(text, at) : 0; ours > 0) {
      out += text.substr(at, ours);
      at += ours;
    } else if (text.substr(at).starts_with("\r\n")) {
      ++at;
    } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) {
      add_escape(out, byte);
      ++at;
    } else if (byte < 0x80) {
      out += text[at++];
    } else {
      size_t length = 1;
      while (length <= continued_by(byte) && at + length < text.size() && (text[at + length] & 0xC0) == 0x80) ++length;
      const auto last = static_cast<unsigned char>(text[at + length - 1]);
      if (byte == 0xC2 && length == 2 && last < 0xA0) add_escape(out, last);  // C1 in UTF-8
      else if (length == 1) add_escape(out, byte);  // a byte by itself: C1 to a terminal of eight bits
      else out += text.substr(at, length);
      at += length;
    }
  }
  return out;
}

SafeOutput::SafeOutput(std::ostream& stream, const Terminal& terminal)
    : stream_(stream), out_(stream.rdbuf(this)), own_(terminal.interactive) {}

SafeOutput::~SafeOutput() {
  pass_on();
  stream_.rdbuf(out_);
}

bool SafeOutput::pass_on() {
  const std::string text = without_controls(pending_, own_);
  pending_.clear();
  return out_->sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
         static_cast<std::streamsize>(text.size());
}

int SafeOutput::overflow(int letter) {
  if (letter == traits_type::eof()) return 0;
  const char one = static_cast<char>(letter);
  return xsputn(&one, 1) == 1 ? letter : traits_type::eof();
}

std::streamsize SafeOutput::xsputn(const char* text, std::streamsize count) {
  pending_.append(text, static_cast<size_t>(count));
  if (pending_.size() < kPassedOn) return count;
  // Up to the last line end: nothing that belongs together goes over one.
  const size_t whole = pending_.rfind('\n') + 1;
  if (whole == 0) return count;
  const std::string rest = pending_.substr(whole);
  pending_.resize(whole);
  const bool well = pass_on();
  pending_ = rest;
  return well ? count : 0;
}

int SafeOutput::sync() { return pass_on() && out_->pubsync() == 0 ? 0 : -1; }

}  // namespace atto
