// The page for a browser that has a server.
#include "serve/api/page.h"

#include <gtest/gtest.h>

namespace atto::page_test {
namespace {

TEST(ServedPage, MayAskItsServerAndKnowsOfIt) {
  const std::string page =
      "<!DOCTYPE html><html><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "connect-src "
      "'none'\"></head><body></body></html>";
  EXPECT_EQ(served_page(page),
            "<!DOCTYPE html><html><head><meta name=\"atto-server\" content=\"\"><meta "
            "http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; connect-src "
            "'self'\"></head><body></body></html>");
}

TEST(ServedPage, SaysHowToBuildItWhereItIsMissing) {
  EXPECT_NE(served_page("").find("<code>make page</code>"), std::string::npos);
}

}  // namespace
}  // namespace atto::page_test
