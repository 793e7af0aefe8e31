// What the program prints may come from anybody: titles and keys of a study, texts of a store, words of a browser. A
// terminal would obey the control characters in it.
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "app/terminal/terminal.h"

namespace atto {

// The text with every control character (C0 but tab and line end, DEL, C1) as \u001b. In JSON that means the same
// character. `own` is what the program itself may send: the styles of terminal.h and the redrawing of a line.
std::string without_controls(std::string_view text, bool own);

// As long as it lives, a stream passes on its text without control characters.
class SafeOutput : public std::streambuf {
 public:
  SafeOutput(std::ostream& stream, const Terminal& terminal);
  ~SafeOutput() override;
  SafeOutput(const SafeOutput&) = delete;
  SafeOutput& operator=(const SafeOutput&) = delete;

 protected:
  int overflow(int letter) override;
  std::streamsize xsputn(const char* text, std::streamsize count) override;
  int sync() override;

 private:
  bool pass_on();

  std::ostream& stream_;
  std::streambuf* const out_;
  const bool own_;
  std::string pending_;  // whole until it is passed on: a sequence must not be cut in two
};

}  // namespace atto
