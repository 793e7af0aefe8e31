// Any valid study survives being written and read, and any text at all is either a study or an Error.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "lab/study/study_text.h"
#include "places.h"

namespace atto {
namespace {

std::string any_text() {
  // Quotes, backslashes, brackets, controls and letters of two and three bytes.
  static const std::vector<std::string> kPieces{"a", "B", " ", "7",  "\"", "\\",   "'",    "[", "]",
                                                "=", "#", ".", "\n", "\t", "\x01", "\x7f", "±", "√"};
  std::string text;
  for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces)))
    text += piece;
  return text;
}

std::vector<Value> any_values(int64_t low, int64_t high) {
  const size_t count = *rc::gen::inRange<size_t>(1, 4);
  const auto numbers = *rc::gen::unique<std::vector<int64_t>>(count, rc::gen::inRange(low, high));
  return {numbers.begin(), numbers.end()};
}

// A positive double of any magnitude up to 512, so that the round trip needs every digit.
double any_real() {
  const auto mantissa = *rc::gen::inRange<int64_t>(1, int64_t{1} << 53);
  return std::ldexp(static_cast<double>(mantissa), *rc::gen::inRange(-120, -44));
}

Study any_study() {
  Study study;
  study.title = any_text();
  study.source = any_text();
  study.summary = any_text();
  study.base.data.vocab = *rc::gen::inRange<int64_t>(2, 200);
  study.base.training.steps = *rc::gen::inRange<int64_t>(1, 5000);
  study.base.training.rate = any_real();
  study.base.training.optimizer = *rc::gen::element<std::string>("adam", "sgd");
  study.base.network.init_scale = any_real();

  Observation scalars{{"perplexity", "accuracy"}, {}};
  scalars.when.every = *rc::gen::inRange<int64_t>(0, 50);
  scalars.when.linear = *rc::gen::inRange<int64_t>(0, 50);
  Observation embeddings{{"embedding"}, {}};
  embeddings.when.log = *rc::gen::element<int64_t>(0, 2, 40);
  embeddings.when.at =
      *rc::gen::container<std::vector<int64_t>>(rc::gen::inRange<int64_t>(0, study.base.training.steps + 1));
  study.observe = {scalars, embeddings};

  if (*rc::gen::arbitrary<bool>()) study.sweep.grid.push_back({"network.width", any_values(1, 20)});
  if (*rc::gen::arbitrary<bool>()) study.sweep.grid.push_back({"data.context", any_values(1, 20)});
  if (*rc::gen::arbitrary<bool>()) {
    const std::vector<Value> batches = any_values(1, 500);
    std::vector<Value> rates;
    for (size_t i = 0; i < batches.size(); ++i) rates.emplace_back(any_real());
    study.sweep.zips.push_back({{"training.batch", batches}, {"training.rate", rates}});
  }
  if (*rc::gen::arbitrary<bool>())
    for (const Value& value : any_values(2, 100)) study.sweep.cells.push_back({{"data.vocab", value}});

  study.seeds.count = *rc::gen::inRange<int64_t>(1, 100);
  study.seeds.first = *rc::gen::inRange<int64_t>(0, int64_t{1} << 40);
  study.seeds.vary = *rc::gen::element(Vary::both, Vary::init, Vary::data);
  for (const Sweep::Axis& axis : study.sweep.grid)
    study.seeds.exceptions.push_back({{{axis.key, axis.values.front()}}, 3});

  study.phenomena.push_back({"flat", nullptr, "plateau"});
  const auto claims = *rc::gen::inRange(0, 3);
  for (int i = 0; i < claims; ++i) {
    Claim claim;
    claim.id = "c" + std::to_string(i);
    claim.source = "s" + any_text();
    claim.statement = "t" + any_text();
    claim.published = any_text();
    claim.quantity = "flat.level";
    claim.statistic = *rc::gen::element(Statistic::median, Statistic::mean);
    claim.low = any_real();
    claim.high = *rc::gen::element(claim.low, claim.low + any_real(), static_cast<double>(INFINITY));
    if (!study.sweep.cells.empty()) claim.where = study.sweep.cells.back();
    if (!study.sweep.grid.empty() && *rc::gen::arbitrary<bool>()) {
      const Sweep::Axis& axis = study.sweep.grid[0];  // cells that differ in one key are partners
      claim.against = claim.where;
      claim.where.emplace_back(axis.key, axis.values.back());
      claim.against->emplace_back(axis.key, axis.values.front());
      claim.compare = *rc::gen::element(Comparison::difference, Comparison::ratio);
    }
    claim.relative_to = *rc::gen::element<std::string>("", "data.vocab", "training.rate");
    study.claims.push_back(claim);
  }
  return study;
}

bool equal(const Claim& a, const Claim& b) {
  return a.id == b.id && a.source == b.source && a.statement == b.statement && a.published == b.published &&
         a.quantity == b.quantity && a.statistic == b.statistic && a.where == b.where && a.against == b.against &&
         a.compare == b.compare && a.relative_to == b.relative_to && a.low == b.low && a.high == b.high;
}

bool equal(const Sweep::Axis& a, const Sweep::Axis& b) { return a.key == b.key && a.values == b.values; }

RC_GTEST_PROP(StudyProperty, SurvivesBeingWrittenAndRead, ()) {
  const Study study = any_study();
  const std::string text = toml_study(study);
  RC_LOG(text);
  const Study back = parse_study(text, "a.toml", {});
  RC_ASSERT(back.title == study.title);
  RC_ASSERT(back.source == study.source);
  RC_ASSERT(back.summary == study.summary);
  RC_ASSERT(canonical_text(back.base, back.observe) == canonical_text(study.base, study.observe));
  RC_ASSERT(back.sweep.grid.size() == study.sweep.grid.size());
  for (size_t i = 0; i < study.sweep.grid.size(); ++i) RC_ASSERT(equal(back.sweep.grid[i], study.sweep.grid[i]));
  RC_ASSERT(back.sweep.zips.size() == study.sweep.zips.size());
  for (size_t i = 0; i < study.sweep.zips.size(); ++i)
    for (size_t j = 0; j < 2; ++j) RC_ASSERT(equal(back.sweep.zips[i].at(j), study.sweep.zips[i][j]));
  RC_ASSERT(back.sweep.cells == study.sweep.cells);
  RC_ASSERT(back.seeds.count == study.seeds.count);
  RC_ASSERT(back.seeds.first == study.seeds.first);
  RC_ASSERT(back.seeds.vary == study.seeds.vary);
  RC_ASSERT(back.seeds.exceptions == study.seeds.exceptions);
  RC_ASSERT(back.phenomena.size() == 1u);
  RC_ASSERT(back.phenomena[0].name == "flat");
  RC_ASSERT(back.claims.size() == study.claims.size());
  for (size_t i = 0; i < study.claims.size(); ++i) RC_ASSERT(equal(back.claims[i], study.claims[i]));
}

// Anything but an Error (another exception, a crash) fails the property.
void read_anything(const std::string& text, const StudyOptions& options = {}) {
  try {
    parse_study(text, "a.toml", options);
  } catch (const Error& error) {
    RC_ASSERT(error.kind() == ErrorKind::config);
    RC_ASSERT(std::string(error.what()).size() > 0u);
  }
}

RC_GTEST_PROP(StudyProperty, GarbageIsAnError, (const std::string& bytes)) { read_anything(bytes); }

RC_GTEST_PROP(StudyProperty, GarbageSettingsAreErrors, (const std::string& key, const std::string& value)) {
  StudyOptions options;
  const std::string real_key = *rc::gen::element<std::string>("network.width", "training.rate", "data.task",
                                                              "data.rank_weights", "seeds.init", "");
  options.set = {(real_key.empty() ? key : real_key) + "=" + value, key};
  read_anything("[[observe]]\nwhat = [\"perplexity\"]\n", options);
}

std::string mutated(std::string text) {
  static const std::vector<std::string> kTokens{
      "[",    "]",          "[[",   "]]",    "{",     "}",     "=",    "\"",       "'''",  ".",
      ",",    "#",          "\n",   "-1",    "0",     "1e9",   "inf",  "nan",      "true", "9223372036854775807",
      "-0.0", "1979-05-27", "data", "sweep", "vocab", "where", "\xff", "\xe2\x88", "\\u12"};
  const auto edits = *rc::gen::inRange(1, 6);
  for (int i = 0; i < edits && !text.empty(); ++i) {
    const size_t at = *rc::gen::inRange<size_t>(0, text.size());
    const size_t length = *rc::gen::inRange<size_t>(0, 20);
    switch (*rc::gen::inRange(0, 4)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, *rc::gen::elementOf(kTokens));
        break;
      case 2:
        text.replace(at, length, *rc::gen::elementOf(kTokens));
        break;
      default:
        text.insert(*rc::gen::inRange<size_t>(0, text.size()), text.substr(at, 5 * length));
    }
  }
  return text;
}

RC_GTEST_PROP(StudyProperty, DamagedStudiesAreErrorsOrStudies, ()) {
  static const std::string kReal = [] {
    std::ifstream file(in_source("studies/rank-collapse.toml"));
    return (std::ostringstream() << file.rdbuf()).str();
  }();
  RC_ASSERT(!kReal.empty());
  const std::string text = mutated(*rc::gen::arbitrary<bool>() ? kReal : toml_study(any_study()));
  RC_LOG(text);
  StudyOptions options;
  options.profile = *rc::gen::element<std::string>("quick", "full");
  read_anything(text, options);
}

}  // namespace
}  // namespace atto
