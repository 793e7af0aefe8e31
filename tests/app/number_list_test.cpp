#include "app/number_list.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/error.h"

namespace atto {
namespace {

using Numbers = std::vector<double>;

Numbers whole(const std::string& text) { return parse_numbers("--length", text, NumberKind::whole); }
Numbers real(const std::string& text) { return parse_numbers("--cross", text, NumberKind::real); }

TEST(NumberList, TakesNumbersAndLists) {
  EXPECT_EQ(whole("512"), Numbers{512});
  EXPECT_EQ(whole("1e6"), Numbers{1000000});
  EXPECT_EQ(real("-0.5"), Numbers{-0.5});
  EXPECT_EQ(whole("16,64,32"), (Numbers{16, 64, 32})) << "in the order given";
}

TEST(NumberList, TakesRanges) {
  EXPECT_EQ(whole("128:4096:x2"), (Numbers{128, 256, 512, 1024, 2048, 4096}));
  EXPECT_EQ(whole("128:4000:x2"), (Numbers{128, 256, 512, 1024, 2048})) << "it ends before its end";
  EXPECT_EQ(real("0:0.5:+0.1"), (Numbers{0, 0.1, 0.2, 0.3, 0.4, 0.5})) << "0.3, not 0.30000000000000004";
  EXPECT_EQ(real("0.001:1:x10"), (Numbers{0.001, 0.01, 0.1, 1}));
  EXPECT_EQ(whole("2:9:x1.5"), (Numbers{2, 3, 5, 7})) << "2, 3, 4.5, 6.75";
  EXPECT_EQ(whole("1:4:x1.2"), (Numbers{1, 2, 3, 4})) << "each once";
  EXPECT_EQ(real("1:3:x1.5"), (Numbers{1, 1.5, 2.25}));
  EXPECT_EQ(whole("7:7:x2"), Numbers{7});
  EXPECT_EQ(whole("1:3:+1,10,20:40:x2"), (Numbers{1, 2, 3, 10, 20, 40}));
}

RC_GTEST_PROP(NumberList, SumsOfDecimalsHitTheirEnd, ()) {
  const int steps = *rc::gen::inRange(1, 1000), digits = *rc::gen::inRange(1, 1000);
  const std::string step = std::to_string(digits) + "e-3", last = std::to_string(digits * steps) + "e-3";
  const Numbers numbers = real("0:" + last + ":+" + step);
  RC_ASSERT(numbers.size() == static_cast<size_t>(steps) + 1);
  RC_ASSERT(numbers.back() == std::stod(last));
}

void expect_refused(const std::string& text, const std::string& why) {
  try {
    whole(text);
    FAIL() << text;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_TRUE(std::string(error.what()).starts_with("--length = " + text + " is not allowed: ")) << error.what();
    EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    EXPECT_NE(error.remedy().find("128:4096:x2"), std::string::npos);
  }
}

TEST(NumberList, RefusesWhatIsNone) {
  for (const std::string text : {"", "many", "8,", ",8", "8 ", "8x", "nan", "inf", "1e999", "1:8:xx", "a:8:x2"})
    expect_refused(text, "is not a number");
  expect_refused("1:8", "three parts");
  expect_refused("1:8:x2:x3", "three parts");
  expect_refused("1:8:2", "x2");
  expect_refused("1:8:", "x2");
  expect_refused("8:1:x2", "smaller");
  expect_refused("1:8:x1", "larger than 1");
  expect_refused("1:8:x0.5", "larger than 1");
  expect_refused("0:8:x2", "above 0");
  expect_refused("1:8:+0", "larger than 0");
  expect_refused("1:8:+-1", "larger than 0");
  expect_refused("1:1e9:+1", "more than 100,000 numbers");
  expect_refused("1:2:x1.000000001", "more than 100,000 numbers");
  expect_refused("1:60000:+1,1:60000:+1", "more than 100,000 numbers");
  expect_refused("1e-300:1e300:+1e-300", "more than 100,000 numbers");
}

}  // namespace
}  // namespace atto
