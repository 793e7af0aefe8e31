#include "lab/results/scale_text.h"

#include <algorithm>

#include "lab/provenance/question.h"
#include "lab/results/format_text.h"

namespace atto {
namespace {

// "32", "8 to 64", "attention and mlp".
std::string values_text(std::vector<Value> values, bool is_number) {
  if (!is_number) {
    std::string text;
    for (const Value& value : values) text += (text.empty() ? "" : " and ") + to_text(value);
    return text;
  }
  std::sort(values.begin(), values.end());  // of one type
  return values.size() == 1 ? to_text(values.front()) : to_text(values.front()) + " to " + to_text(values.back());
}

}  // namespace

std::string scale_text(const Study& study, const std::vector<Cell>& cells, const Claim& claim) {
  if (claim.provenance.scope != Scope::scaled) return "";
  std::string text;
  for (const std::string& key : study.scale) {
    const RunField& field = run_schema().at(key);
    std::vector<Value> values;
    for (const Cell& cell : cells) {
      if (!speaks_of(study, claim, cell.config)) continue;
      const Value value = field.get(cell.config);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    if (values.empty()) continue;
    const auto same_word = [&](const std::string& other) { return key_word(other) == key_word(key); };
    const bool unique = std::count_if(study.scale.begin(), study.scale.end(), same_word) == 1;
    text += (text.empty() ? "" : ", ") + (unique ? key_word(key) : key) + " " + values_text(values, field.is_number());
  }
  return text;
}

}  // namespace atto
