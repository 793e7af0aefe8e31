// A file is what its ending says, from its first byte to its last.
#include "app/render/file_kinds.h"

#include <gtest/gtest.h>

namespace atto {
namespace {

const std::string kPng("\x89PNG\r\n\x1a\n\0\0\0\rIHDR....\0\0\0\0IEND\xae\x42\x60\x82", 32),
    kGif = "GIF89a....;", kSvg = "<?xml version=\"1.0\"?>\n<svg width=\"1\"><g/></svg>\n";

TEST(FileKinds, AreKnownByBeginningAndEnd) {
  EXPECT_TRUE(is_of_kind(kPng, FigureFormat::png));
  EXPECT_TRUE(is_of_kind(kGif, FigureFormat::gif));
  EXPECT_TRUE(is_of_kind(kSvg, FigureFormat::svg));
  EXPECT_TRUE(is_of_kind("<svg></svg>", FigureFormat::svg));
}

TEST(FileKinds, NothingElsePasses) {
  for (const FigureFormat format : {FigureFormat::png, FigureFormat::gif, FigureFormat::svg}) {
    EXPECT_FALSE(is_of_kind("", format));
    EXPECT_FALSE(is_of_kind("<html>Out of memory</html>", format));
    EXPECT_FALSE(is_of_kind(kPng, format) && is_of_kind(kGif, format));
  }
  EXPECT_FALSE(is_of_kind(kPng.substr(0, 31), FigureFormat::png)) << "cut short";
  EXPECT_FALSE(is_of_kind(kGif.substr(0, 10), FigureFormat::gif));
  EXPECT_FALSE(is_of_kind(kSvg.substr(0, 40), FigureFormat::svg));
  EXPECT_FALSE(is_of_kind("<?xml version", FigureFormat::svg));
  EXPECT_FALSE(is_of_kind(kSvg, FigureFormat::spec));
}

}  // namespace
}  // namespace atto
