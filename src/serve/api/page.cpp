#include "serve/api/page.h"

namespace atto {
namespace {

constexpr std::string_view kPlainPage = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Attoscope</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>body { font: 1.1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }</style>
</head><body><h1>Attoscope</h1>
<p>The server runs, but this program was built without the page.</p>
<p>In a source tree, <code>make page</code> builds it; build the program again after it.</p>
</body></html>
)";

// Its content goes before "/api/ask".
constexpr std::string_view kMark = R"(<meta name="atto-server" content="">)";

}  // namespace

std::string served_page(std::string_view page) {
  if (page.empty()) return std::string(kPlainPage);
  std::string served(page);
  // From disk or a static host the page asks nobody, and its policy says so; here it asks this server.
  constexpr std::string_view kNobody = "connect-src 'none'";
  if (const size_t found = served.find(kNobody); found != std::string::npos)
    served.replace(found, kNobody.size(), "connect-src 'self'");
  constexpr std::string_view kHead = "<head>";
  if (const size_t found = served.find(kHead); found != std::string::npos) served.insert(found + kHead.size(), kMark);
  return served;
}

}  // namespace atto
