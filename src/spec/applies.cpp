#include "spec/applies.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/contains.h"
#include "base/error.h"
#include "network/parts.h"
#include "network/stack.h"
#include "training/optimizers/optimizer.h"

namespace atto {
namespace {

using Condition = bool (*)(const RunSpec& spec);

bool on_tokens(const RunSpec& spec) { return spec.attention() && !spec.attention()->task.shape.vectors(); }
bool of_attention(const RunSpec& spec) { return spec.attention() != nullptr; }
bool has_attention(const RunSpec& spec) {
  return of_attention(spec) && !attention_blocks(spec.config().network).empty();
}
bool free_scores(const RunSpec& spec) { return spec.emergence() != nullptr; }
bool is_flow(const RunSpec& spec) { return optimizer_kind(spec.training()).flow; }
bool low_rank(const RunSpec& spec) {
  const DataConfig& data = spec.config().data;
  return data.task == "bigram" || (data.task == "markov" && data.chain == ChainKind::low_rank);
}
bool draws_batches(const RunSpec& spec) { return spec.training().gradient == GradientKind::sampled; }
template <ChainKind kKind>
bool chain_is(const RunSpec& spec) {
  return spec.config().data.task == "markov" && spec.config().data.chain == kKind;
}
template <RateSchedule kKind>
bool rate_follows(const RunSpec& spec) {
  return spec.training().schedule == kKind;
}
bool data_change(const RunSpec& spec) { return spec.config().data.schedule != DiversityKind::constant; }
bool in_blocks(const RunSpec& spec) { return of_attention(spec) && stack_is_shorthand(spec.config().network); }

// Keys that some runs take no notice of without refusing them, and which runs those are not. A key that is not here
// applies wherever another value of it is allowed.
const std::map<std::string, Condition>& conditions() {
  static const std::map<std::string, Condition> all{
      {"data.vocab", on_tokens},
      {"data.offset", [](const RunSpec& spec) { return spec.config().data.task == "copy"; }},
      {"data.targets", on_tokens},
      {"data.exponent", on_tokens},
      {"data.bos", on_tokens},
      {"data.rank", low_rank},
      {"data.scale", low_rank},
      {"data.rank_weights", low_rank},
      {"data.table", low_rank},
      {"data.dimension", [](const RunSpec& spec) { return is_regression(spec.config().data); }},
      {"data.places", [](const RunSpec& spec) { return is_regression(spec.config().data); }},
      {"data.flag", [](const RunSpec& spec) { return is_regression(spec.config().data); }},
      {"data.pairs", [](const RunSpec& spec) { return spec.config().data.task == "recall"; }},
      {"data.repeated",
       [](const RunSpec& spec) {
         const DataConfig& data = spec.config().data;
         return data.task == "recall" && (data.cross > 0 || (data_change(spec) && data.later_cross > 0));
       }},
      {"data.hops", [](const RunSpec& spec) { return spec.config().data.task == "recall" || is_flow(spec); }},
      {"data.later_repeat", data_change},
      {"data.later_cross", data_change},
      {"data.switch_step", data_change},
      {"data.switch_loss", [](const RunSpec& spec) { return spec.config().data.schedule == DiversityKind::plateau; }},
      {"data.moves", chain_is<ChainKind::ring>},
      {"data.chances", chain_is<ChainKind::ring>},
      {"data.forward", chain_is<ChainKind::drift>},
      {"data.neighbours", chain_is<ChainKind::neighbours>},
      {"data.file",
       [](const RunSpec& spec) { return spec.config().data.task == "table" || chain_is<ChainKind::file>(spec); }},
      {"network.width", of_attention},
      {"network.positions", of_attention},
      {"network.mask", has_attention},
      {"network.kernel", has_attention},
      {"network.kernel_power",
       [](const RunSpec& spec) {
         return has_attention(spec) && attention_form(spec.config().network).in_blocks == ScoreForm::inverse;
       }},
      {"network.logits", on_tokens},
      {"network.logits_power",
       [](const RunSpec& spec) { return on_tokens(spec) && spec.config().network.logits == Logits::harmonic; }},
      {"network.unembedding", on_tokens},
      {"network.position_scale",
       [](const RunSpec& spec) {
         return of_attention(spec) && spec.config().network.positions == PositionKind::learned;
       }},
      {"network.embedding_scale", on_tokens},
      {"network.layers", in_blocks},
      {"network.mlp_factor", [](const RunSpec& spec) { return of_attention(spec) && has_mlp(spec.config().network); }},
      {"network.init", [](const RunSpec& spec) { return !is_flow(spec); }},
      {"network.init_scale", [](const RunSpec& spec) { return !is_flow(spec); }},
      {"network.weight_start", free_scores},
      {"network.gap_start", free_scores},
      {"network.start", [](const RunSpec& spec) { return !is_flow(spec); }},
      {"network.start_file", [](const RunSpec& spec) { return !is_flow(spec); }},
      {"training.batch", draws_batches},
      {"training.final_rate", [](const RunSpec& spec) { return spec.training().schedule != RateSchedule::constant; }},
      {"training.points", rate_follows<RateSchedule::points>},
      {"training.hold", rate_follows<RateSchedule::hold>},
      {"training.drop", rate_follows<RateSchedule::steps>},
      {"training.drop_every", rate_follows<RateSchedule::steps>},
      {"training.drop_at", rate_follows<RateSchedule::steps>},
      {"training.frequency_rate", on_tokens},
      {"training.stop_hold", [](const RunSpec& spec) { return spec.training().stop_loss >= 0; }},
      {"training.test_every", [](const RunSpec& spec) { return spec.training().stop_test_loss >= 0; }},
      {"training.test_samples", of_attention},
      {"training.rates", [](const RunSpec& spec) { return !is_flow(spec); }},
      {"training.frozen", [](const RunSpec& spec) { return !is_flow(spec); }},
      {"training.decay", [](const RunSpec& spec) { return optimizer_kind(spec.training()).decay != DecayKind::none; }},
      {"training.intervention", [](const RunSpec& spec) { return !is_flow(spec); }},
  };
  return all;
}

// Other values to try: near the present one, and the ends of the range.
std::vector<Value> others(const RunField& field, const Value& now) {
  std::vector<Value> list;
  if (field.type == FieldType::flag) list.emplace_back(!std::get<bool>(now));
  for (const std::string& word : field.choices) list.emplace_back(word);
  if (field.is_number()) {
    const bool whole = field.type == FieldType::integer;
    const double present = whole ? static_cast<double>(std::get<int64_t>(now)) : std::get<double>(now);
    for (const double value :
         {present + 1, present - 1, present * 2, std::floor(present / 2), field.low, 0.5, 0.9, 0.1, field.high}) {
      if (!(value >= field.low && value <= field.high) || (whole && value != std::floor(value))) continue;
      list.push_back(whole ? Value(static_cast<int64_t>(value)) : Value(value));
    }
  }
  std::erase(list, now);
  return list;
}

// Is there a run with another value of this key and all else as it is?
bool can_change(const RunField& field, const RunConfig& config) {
  for (const Value& value : others(field, field.get(config))) {
    RunConfig changed = config;
    field.assign(changed, value);
    try {
      RunSpec{changed};
      return true;
    } catch (const Error&) {  // not this one
    }
  }
  return false;
}

bool filled_in(const RunField& field) {
  return contains(std::vector<std::string>{"data.file_hash", "network.start_hash", "data.function",
                                           "data.function_version", "data.function_hash", "data.stream"},
                  field.key);
}

}  // namespace

std::vector<std::string> keys_that_apply(const RunSpec& spec) {
  std::vector<std::string> keys;
  const RunConfig& config = spec.config();
  for (const RunField& field : run_schema().all()) {
    if (field.key.starts_with("seeds.") || filled_in(field)) continue;
    const std::vector<std::string> owners = tasks_with(field.key);
    if (!owners.empty() && !contains(owners, config.data.task)) continue;
    const auto condition = conditions().find(field.key);
    if (condition != conditions().end() && !condition->second(spec)) continue;
    // Of texts, lists and tables nobody can tell another value.
    const bool trial = field.type == FieldType::flag || field.is_number() || !field.choices.empty();
    if (trial && field.is_plain() && field.key != "data.task" && !can_change(field, config)) continue;
    keys.push_back(field.key);
  }
  return keys;
}

}  // namespace atto
