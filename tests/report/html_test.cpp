#include "report/html.h"

#include <gtest/gtest.h>

namespace atto {
namespace {

TEST(Html, TextStaysText) {
  EXPECT_EQ(escaped("<script>alert('x & \"y\"')</script>"),
            "&lt;script&gt;alert(&#39;x &amp; &quot;y&quot;&#39;)&lt;/script&gt;");
  EXPECT_EQ(text_element("td", "a<b", "class=\"x\""), "<td class=\"x\">a&lt;b</td>");
}

TEST(Html, JsonCannotEndItsElement) {
  EXPECT_EQ(script_json({{"a", "</script><!--"}}), R"({"a":"\u003c/script>\u003c!--"})");
}

TEST(Html, SlugsAreSafeInIdsAndLinks) {
  EXPECT_EQ(slug("S1.1-v4"), "S1-1-v4");
  EXPECT_EQ(slug("my study\"><b>"), "my-study-b");
  EXPECT_EQ(slug("→"), "x");
}

TEST(Html, OnlyAddressesBecomeLinks) {
  EXPECT_EQ(
      linked("Liu (2026), https://example.org/a?b=1&c, and <b>"),
      "Liu (2026), <a href=\"https://example.org/a?b=1&amp;c\" rel=\"noopener\">https://example.org/a?b=1&amp;c</a>, "
      "and &lt;b&gt;");
  EXPECT_EQ(linked("javascript:alert(1)"), "javascript:alert(1)");
  EXPECT_EQ(linked("https://x\"onclick=\"y"),
            "<a href=\"https://x\" rel=\"noopener\">https://x</a>&quot;onclick=&quot;y");
}

}  // namespace
}  // namespace atto
