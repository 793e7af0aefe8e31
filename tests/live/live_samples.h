// Small studies that tests of the live room watch.
#pragma once

#include <string>

#include "lab/results/json.h"

namespace atto {

// Two cells of three seeds that take milliseconds, with a detector, a quantity and a claim.
inline const std::string kLiveStudy = R"toml(title = "Small"
summary = "Copying"
source = "nobody (2026)"
[data]
vocab = 6
context = 4
[network]
width = 2
[training]
steps = 300
batch = 32
rate = 0.02
[[observe]]
what = ["perplexity", "loss"]
every = 10
[[observe]]
what = ["embedding", "layer.0.query.effective_rank"]
linear = 7
[[quantity]]
name = "excess"
is = "perplexity - 1"
[[phenomenon]]
detector = "plateau"
[[phenomenon]]
detector = "value"
name = "end"
series = "excess"
[sweep]
grid = { network.width = [2, 3] }
[seeds]
count = 3
[[claim]]
id = "solved"
statement = "It is learnt"
quantity = "end.value"
statistic = "median"
where = { "network.width" = 3 }
below = 4
)toml";

inline Json live_request(const std::string& question, const std::string& text = kLiveStudy) {
  return {{"ask", question}, {"text", text}};
}

}  // namespace atto
