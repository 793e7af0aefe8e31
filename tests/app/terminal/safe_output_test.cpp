// What is printed cannot command the terminal.
#include "app/terminal/safe_output.h"

#include <gtest/gtest.h>

#include <sstream>

namespace atto {
namespace {

TEST(SafeOutput, ControlCharactersBecomeVisible) {
  EXPECT_EQ(without_controls("a\x1b]0;owned\x07z", false), "a\\u001b]0;owned\\u0007z");
  EXPECT_EQ(without_controls("back\b\x7f", false), "back\\u0008\\u007f");
  EXPECT_EQ(without_controls("\xC2\x9B"
                             "31m",
                             false),
            "\\u009b31m")
      << "C1 in UTF-8";
  EXPECT_EQ(without_controls("\x9B"
                             "31m",
                             false),
            "\\u009b31m")
      << "C1 of eight bits";
  EXPECT_EQ(without_controls(std::string_view("nul\0.", 5), false), "nul\\u0000.");
  EXPECT_EQ(without_controls("over\rwritten", true), "over\\u000dwritten");
}

TEST(SafeOutput, TextStaysAsItIs) {
  const std::string text = "two lines\nand\ta tab: é, ⣿, 漢, 😀, \xC2\xA0.";
  EXPECT_EQ(without_controls(text, false), text);
  EXPECT_EQ(without_controls("line\r\n", false), "line\n");
}

TEST(SafeOutput, OnlyATerminalGetsOurOwnSequences) {
  const std::string text = styled("word", Style::bad, {true, true, 80});
  EXPECT_EQ(without_controls(text, true), text);
  EXPECT_EQ(without_controls("\r\x1b[K", true), "\r\x1b[K");
  EXPECT_EQ(without_controls(text, false), "\\u001b[31mword\\u001b[0m");
  EXPECT_EQ(without_controls("\x1b[2J\x1b[31;1m", true), "\\u001b[2J\\u001b[31;1m") << "not ours";
}

TEST(SafeOutput, AStreamIsCleanAsLongAsItLives) {
  std::ostringstream out;
  {
    const SafeOutput safe(out, Terminal());
    out << "a\x1b[2J" << 7;
    out << "é" << std::flush;
    EXPECT_EQ(out.str(), "a\\u001b[2J7é") << "what is flushed is passed on";
    out << std::string(200'000, 'x') << "\n\x1b";
  }
  EXPECT_EQ(out.str(), "a\\u001b[2J7é" + std::string(200'000, 'x') + "\n\\u001b");
  out << "\x1b";
  EXPECT_TRUE(out.str().ends_with('\x1b')) << "afterwards it is as before";
}

}  // namespace
}  // namespace atto
