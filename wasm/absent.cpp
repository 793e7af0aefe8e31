// What the page has no use for, and the program does: figures, results of `atto multiverse` and arrays in files. A
// study may speak of them; here that means nothing, or is refused.
#include "base/error.h"
#include "data/files/formats.h"
#include "lab/results/multiverse.h"
#include "lab/study/parts.h"

namespace atto {

std::vector<FigurePlan> read_figures(const TomlDocument&, const TomlNode*, StudyPlaces&) { return {}; }
std::vector<FigurePlan> default_figures(const Study&) { return {}; }
void add_threshold_figure(Study&) {}
void check_figures(const TomlDocument&, const Study&, const std::vector<Cell>&, const std::vector<Offer>&,
                   const StudyPlaces&) {}

// Kept next to the file of a study, which there is none of.
std::optional<MultiverseResult> kept_multiverse(const Study&) { return std::nullopt; }
const ClaimRecipes* MultiverseResult::find(const std::string&) const { return nullptr; }
int64_t ClaimRecipes::count(VerdictKind) const { return 0; }
std::string recipes_text(const ClaimRecipes&, const std::vector<Overrides>&) { return ""; }

// Nobody brings files along, so these are never reached.
void parse_npy(std::string_view, const std::string&, NumberFile& file) {
  refuse_file(file.name + ": the engine of the page reads no arrays of NumPy", "write the numbers as CSV");
}
void parse_npz(std::string_view bytes, NumberFile& file) { parse_npy(bytes, "", file); }

}  // namespace atto
