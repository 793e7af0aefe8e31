// Study files: any text is refused with a place and a remedy, or is a study whose runs can be told, and written as a
// study again.
#include "lab/study/study.h"
#include "fuzz.h"
#include "lab/study/own_parts.h"
#include "lab/study/write_toml.h"

namespace atto::fuzz {
namespace {

// Larger sweeps take longer and show nothing new.
constexpr int64_t kMostCells = 16, kSeeds = 2;
constexpr size_t kLongest = 20'000;

std::vector<std::string> ids_of(const Study& study, const std::vector<Cell>& cells) {
  std::vector<std::string> ids;
  for (const Run& run : expand_runs(study, cells)) ids.push_back(run.id);
  return ids;
}

void read_profile(const std::string& text, const std::string& profile) {
  auto parts = std::make_shared<OwnParts>();
  parts->reads_files = false;
  StudyOptions options;
  options.profile = profile;
  options.seeds = kSeeds;
  const Study study = parse_study(text, "study.toml", options, parts);
  const std::vector<Cell> cells = expand_cells(study);
  const std::vector<std::string> ids = ids_of(study, cells);
  if (!stands_alone(study, cells)) return;
  // The other way round nothing may be refused.
  const std::string again = study_toml(study, cells);
  try {
    const Study second = parse_study(again, "again.toml", {}, parts);
    require(ids_of(second, expand_cells(second)) == ids, "a study that is written has the same runs:\n" + again);
  } catch (const Error& error) {
    require(false, "a study that is written can be read: " + std::string(error.what()) + "\n" + again);
  }
}

}  // namespace
}  // namespace atto::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atto;
  if (size > fuzz::kLongest) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  fuzz::may_refuse([&] {
    for (const StudyOutline::Profile& one : parse_outline(text, "study.toml").profiles)
      if (one.cells <= fuzz::kMostCells) fuzz::may_refuse([&] { fuzz::read_profile(text, one.name); });
  });
  return 0;
}
