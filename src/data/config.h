// What the network sees: the task and its sizes.
#pragma once

#include <cstdint>
#include <string>

#include "base/fields.h"

namespace atto {

struct DataConfig {
  std::string task = "copy";
  int64_t vocab = 10;             // V, token kinds
  int64_t context = 4;            // C, tokens in a sequence
  int64_t offset = 0;             // copy: how many positions back the answer stands
  std::string targets = "last";   // which positions are asked: the last, or every one that has an answer
  double exponent = 0.0;          // Zipf: token i has probability ∝ 1/(i+1)^exponent; 0 is uniform
  bool bos = false;               // unigram, bigram: a [BOS] token, number V, opens every sequence
  int64_t rank = 3;               // bigram: rank R of the transition logits
  double scale = 1.0;             // bigram: factor on the transition logits
  std::string rank_weights;       // bigram: weights of the R ranks, "1, 0.5, 0.25"; empty: all 1
  int64_t table = 1;              // bigram: which random transition matrix
  int64_t dimension = 16;         // regression: d, features of a token
  std::string places = "random";  // regression: where the relevant token stands, random | fixed
  bool flag = true;               // regression: a last feature marks it
  int64_t pairs = 8;              // recall: key-value pairs in a sequence
  int64_t hops = 1;               // recall: pairs to follow from the query to the answer
  int64_t repeated = 2;           // recall: size of the subset of tokens that data.cross repeats
  int64_t repeat = 1;             // B, how often what is relevant stands in a sequence
  double cross = 0.0;             // p, how often it is the same across sequences
  // How B and p move during a run, from `repeat` and `cross` to the later values (data/diversity.h).
  std::string schedule = "constant";
  int64_t later_repeat = 1;
  double later_cross = 0.0;
  int64_t switch_step = 0;
  double switch_loss = 0.5;
};

// Adds the fields `data.*` bound to `config`.
void describe(Fields& fields, DataConfig& config);

// Relations between fields that no single range can state; throws Error(config).
void validate(const DataConfig& config);

}  // namespace atto
