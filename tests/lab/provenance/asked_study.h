// A study whose claims are asked about, with lines of it changed.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "lab/provenance/question.h"

namespace atto::asked {

constexpr const char* kStudy = R"(title = "A title"
[data]
vocab = 4
context = 3
[training]
batch = 16
steps = 20
[sweep.grid]
network.width = [1, 2]
training.rate = [0.1, 0.2]
[seeds]
count = 3
[[observe]]
what = ["perplexity", "loss"]
every = 2
[[quantity]]
name = "excess"
is = "loss - best_loss"
[[phenomenon]]
name = "final"
detector = "value"
series = "excess"
[[phenomenon]]
name = "learnt"
detector = "emergence"
threshold = 1.5
[[fit]]
name = "law"
quantity = "final.value"
terms = { size = "network.width", pace = "training.rate" }
[[claim]]
id = "level"
statement = "It ends low"
quantity = "final.value"
statistic = "median"
where = { network.width = 2 }
region = [-inf, 1]
[[claim]]
id = "ratio"
statement = "Wide is lower"
quantity = "final.value"
relative_to = "data.vocab"
statistic = "median"
where = { network.width = 2, training.rate = 0.1 }
against = { network.width = 1, training.rate = 0.1 }
compare = "ratio"
region = [0, 1]
[[claim]]
id = "exponent"
statement = "It falls with the width"
quantity = "law.exponent.size"
statistic = "fit"
region = [-1, 0]
[profile.full]
seeds = { count = 5 }
)";

// The text with `from`, which must be in it, replaced by `to`.
inline std::string with_change(const std::string& from, const std::string& to, std::string text = kStudy) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

inline StudyOptions options(const std::string& profile, std::optional<int64_t> seeds = {},
                            std::vector<std::string> set = {}) {
  StudyOptions made;
  made.profile = profile;
  made.seeds = seeds;
  made.set = std::move(set);
  return made;
}

inline Study study_of(const std::string& text, const StudyOptions& options = {}) {
  return parse_study(text, "asked.toml", options);
}

inline std::vector<Question> questions_in(const std::string& text, const StudyOptions& options = {}) {
  const Study study = study_of(text, options);
  return questions_of(study, expand_cells(study));
}

}  // namespace atto::asked
