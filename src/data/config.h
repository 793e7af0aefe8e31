// What the network sees: the task and its sizes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/schema.h"

namespace atto {

struct NumberFile;  // data/files/number_file.h
class BlockSource;  // data/block_source.h

// Which positions are asked: the last, or every one that has an answer.
enum class Targets { last, every };
// Regression: whether the relevant token stands somewhere else in every sequence or in the same places throughout a
// run.
enum class Places { random, fixed };
// How B and p move during a run, from `repeat` and `cross` to the later values (data/diversity.h).
enum class DiversityKind { constant, at_switch, linear, plateau };

// Which transition matrix the task markov has (data/tasks/markov.cpp).
enum class ChainKind { ring, drift, neighbours, low_rank, uniform, file };

template <>
struct EnumWords<ChainKind> {
  static constexpr std::array words{"ring", "drift", "neighbours", "low-rank", "uniform", "file"};
};
template <>
struct EnumWords<Targets> {
  static constexpr std::array words{"last", "every"};
};
template <>
struct EnumWords<Places> {
  static constexpr std::array words{"random", "fixed"};
};
template <>
struct EnumWords<DiversityKind> {
  static constexpr std::array words{"constant", "switch", "linear", "plateau"};
};

struct DataConfig {
  // Compiled once, and not in every file that holds one.
  DataConfig();
  DataConfig(const DataConfig&);
  DataConfig(DataConfig&&) noexcept;
  DataConfig& operator=(const DataConfig&);
  DataConfig& operator=(DataConfig&&) noexcept;
  ~DataConfig();
  bool operator==(const DataConfig&) const = default;

  std::string task = "copy";  // the name of a registered task (data/task.h)
  int64_t vocab = 10;         // V, token kinds
  int64_t context = 4;        // C, tokens in a sequence
  int64_t offset = 0;         // copy: how many positions back the answer stands
  Targets targets = Targets::last;
  double exponent = 0.0;           // Zipf: token i has probability ∝ 1/(i+1)^exponent; 0 is uniform
  bool bos = false;                // unigram, bigram: a [BOS] token, number V, opens every sequence
  int64_t rank = 3;                // bigram: rank R of the transition logits
  double scale = 1.0;              // bigram: factor on the transition logits
  std::string rank_weights;        // bigram: weights of the R ranks, "1, 0.5, 0.25"; empty: all 1
  int64_t table = 1;               // bigram: which random transition matrix
  int64_t dimension = 16;          // regression: d, features of a token
  Places places = Places::random;  // regression: where the relevant token stands
  bool flag = true;                // regression: a last feature marks it
  int64_t pairs = 8;               // recall: key-value pairs in a sequence
  int64_t hops = 1;                // recall: pairs to follow from the query to the answer; regression: choices
  int64_t repeated = 2;            // recall: size of the subset of tokens that data.cross repeats
  int64_t repeat = 1;              // B, how often what is relevant stands in a sequence
  double cross = 0.0;              // p, how often it is the same across sequences
  DiversityKind schedule = DiversityKind::constant;
  int64_t later_repeat = 1;
  double later_cross = 0.0;
  int64_t switch_step = 0;
  double switch_loss = 0.5;
  int64_t size = 0;    // sequences of a training set that is drawn once; 0: fresh ones in every step
  double split = 0.0;  // part of all sequences that is trained on, the rest being for tests; 0: no such division
  ChainKind chain = ChainKind::ring;
  std::vector<double> moves = {-1, 1};        // ring: steps of the walk ...
  std::vector<double> chances;                // ... and their probabilities; empty: all alike
  double forward = 0.9;                       // drift: probability of a step forward
  int64_t neighbours = 1;                     // how many on either side can come next
  std::vector<double> start;                  // markov: probabilities of the first token; empty: stationary
  std::vector<double> frequencies;            // probabilities of independent tokens; empty: by `exponent`
  std::string formula;                        // the answer as an expression of the tokens
  std::string file;                           // a CSV, NPY or NPZ file, relative to the study's folder ...
  std::string file_hash;                      // ... the hash of its content ...
  std::shared_ptr<const NumberFile> content;  // ... and its numbers, read with the study
  std::string function;                       // the name of a function outside of the program ...
  std::string function_version, function_hash;
  std::string stream;                         // ... which use of it this is, where it never gives the same twice ...
  std::shared_ptr<const BlockSource> source;  // ... and the function itself
};

// The settings `data.*`; describe_task() checks the relations between them (data/task_spec.h).
const Schema<DataConfig>& data_schema();

}  // namespace atto
