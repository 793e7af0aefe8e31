#include "report/playground.h"

#include <cstdint>

#include "lab/results/format_text.h"
#include "lab/study/write_toml.h"
#include "report/html.h"

namespace atto {
namespace {

// RFC 4648, the alphabet for addresses, without padding.
std::string base64url(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string out;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6) out += kLetters[bits >> (count - 6) & 63];
  }
  if (count > 0) out += kLetters[bits << (6 - count) & 63];
  return out;
}

// Seconds of all runs of the cells, by those of which it is known; 0 where that is none.
double native_seconds(const std::vector<const CellResult*>& cells, const std::map<std::string, double>& seconds) {
  double all = 0;
  for (const CellResult* cell : cells) {
    double known = 0;
    int64_t runs = 0;
    for (const CellRun& run : cell->runs)
      if (const auto found = seconds.find(run.id); found != seconds.end()) {
        known += found->second;
        ++runs;
      }
    if (runs == 0) return 0;
    all += known / static_cast<double>(runs) * static_cast<double>(cell->cell.seeds);
  }
  return all;
}

}  // namespace

std::string playground_fragment(const std::string& toml) { return "v=1&study=" + base64url(toml); }

std::string playground_link(const FigurePlan& plan, const StudyResult& result, const Playground& playground) {
  std::vector<const CellResult*> chosen;
  std::vector<Cell> cells;
  for (const CellResult& one : result.cells)
    if (matches(plan.where, one.cell.config)) {
      chosen.push_back(&one);
      cells.push_back(one.cell);
    }
  if (!stands_alone(result.study, cells)) return "";
  const std::string address = playground.page + "#" + playground_fragment(study_toml(result.study, cells));
  std::string out = element("a", "Watch these runs train", "href=\"" + escaped(address) + "\"");
  int64_t runs = 0;
  for (const Cell& cell : cells) runs += cell.seeds;
  out += escaped(": " + count_text(runs, "run") + " of " + count_text(std::ssize(cells), "setting"));
  if (const double native = native_seconds(chosen, playground.seconds); native > 0)
    out += escaped(", about " + duration_text(kBrowserSlowdown * native) + " in a browser on one core");
  return element("p", out + ".", "class=\"live\"");
}

}  // namespace atto
