// Links to the playground.
#include "report/playground.h"

#include <gtest/gtest.h>

namespace atto::playground_test {
namespace {

TEST(Playground, AFragmentIsTheTextInTheBase64OfAddresses) {
  EXPECT_EQ(playground_fragment(""), "v=1&study=");
  EXPECT_EQ(playground_fragment("a"), "v=1&study=YQ");
  EXPECT_EQ(playground_fragment("ab"), "v=1&study=YWI");
  EXPECT_EQ(playground_fragment("abc"), "v=1&study=YWJj");
  EXPECT_EQ(playground_fragment("\xfb\xff\xfe≥"), "v=1&study=-__-4oml");
}

}  // namespace
}  // namespace atto::playground_test
