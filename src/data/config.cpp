#include "data/config.h"

#include "data/task_spec.h"

namespace atto {

DataConfig::DataConfig() = default;
DataConfig::DataConfig(const DataConfig&) = default;
DataConfig::DataConfig(DataConfig&&) noexcept = default;
DataConfig& DataConfig::operator=(const DataConfig&) = default;
DataConfig& DataConfig::operator=(DataConfig&&) noexcept = default;
DataConfig::~DataConfig() = default;

const Schema<DataConfig>& data_schema() {
  static const Schema<DataConfig> schema =
      Schema<DataConfig>()
          .word("data.task", &DataConfig::task, task_names(), "what is asked about a sequence")
          .integer("data.vocab", &DataConfig::vocab, 2, 1 << 16, "V, kinds of token, [BOS] not counted")
          .integer("data.context", &DataConfig::context, 0, 1e6,
                   "C or T, tokens in a sequence (block_size, n_ctx); recall: 0 stands for 2 · pairs + 1")
          .integer("data.offset", &DataConfig::offset, 0, 4095,
                   "copy: positions back from the current one to the answer")
          .choice("data.targets", &DataConfig::targets, "which positions must answer")
          .real("data.exponent", &DataConfig::exponent, 0, 20,
                "Zipf exponent of the token frequencies; 0 is uniform (not bigram, recall)")
          .flag("data.bos", &DataConfig::bos, "unigram, bigram: open every sequence with a [BOS] token of its own")
          .integer("data.rank", &DataConfig::rank, 1, 4096, "bigram: rank R of the transition logits A·B/√R")
          .real("data.scale", &DataConfig::scale, 0, 1000, "bigram: factor on the transition logits")
          .word("data.rank_weights", &DataConfig::rank_weights, {},
                "bigram: comma-separated weights of the ranks; empty: all 1")
          .integer("data.table", &DataConfig::table, 0, 9007199254740992.0, "bigram: seed of the transition matrix")
          .integer("data.dimension", &DataConfig::dimension, 1, 1e5, "regression: d, features of a token")
          .choice("data.places", &DataConfig::places,
                  "regression: where the relevant token stands, anew in every sequence or the same throughout a run")
          .flag("data.flag", &DataConfig::flag,
                "regression: mark the relevant token by a last feature, 1 there and 0 elsewhere")
          .integer("data.pairs", &DataConfig::pairs, 1, 2047, "recall: key-value pairs in a sequence")
          .integer("data.hops", &DataConfig::hops, 1, 3,
                   "recall: how often the permutation is applied to the query; every step on the way is a pair of the "
                   "context; regression with free scores: choices among data.context each that lead to the relevant "
                   "token")
          .integer("data.repeated", &DataConfig::repeated, 1, 1 << 16,
                   "recall: how many tokens, 0 and up, data.cross prefers as queries")
          .integer(
              "data.repeat", &DataConfig::repeat, 1, 1e6,
              "B: regression: positions that hold the relevant token; recall: above 1, each pair is the query's with "
              "probability B / pairs")
          .real(
              "data.cross", &DataConfig::cross, 0, 1,
              "p: regression: probability that the relevant token is one vector, the same in all samples; recall: that "
              "the query is one of the repeated tokens")
          .choice(
              "data.schedule", &DataConfig::schedule,
              "how B and p go to their later values: never, at data.switch_step, evenly until then, or once the loss "
              "leaves its plateau")
          .integer("data.later_repeat", &DataConfig::later_repeat, 1, 1e6,
                   "B in the end, unless the schedule is constant")
          .real("data.later_cross", &DataConfig::later_cross, 0, 1, "p in the end, unless the schedule is constant")
          .integer(
              "data.switch_step", &DataConfig::switch_step, 0, 1e12,
              "switch, linear: first step with the later values; plateau: step from which the first values hold and "
              "the loss is watched, with the later ones before")
          .real("data.switch_loss", &DataConfig::switch_loss, 0, 1,
                "plateau: left for good once the smoothed loss is at most this part of its mean when the watch began")
          .later()
          .integer("data.size", &DataConfig::size, 0, 1 << 28,
                   "sequences of a training set that is drawn once, by the data seed, and gone through in a new order "
                   "each epoch; 0: fresh sequences in every step")
          .real("data.split", &DataConfig::split, 0, 1,
                "part of all sequences there are that is trained on, chosen by the data seed; the rest are the test "
                "data; 0: no such division")
          .choice("data.chain", &DataConfig::chain,
                  "markov: the transition matrix: a walk on a ring, one that drifts, to any of the nearest neighbours, "
                  "the low-rank matrix of bigram, uniform, or that of data.file")
          .numbers("data.moves", &DataConfig::moves, -65536, 65536, "ring: the steps that the walk can take")
          .numbers("data.chances", &DataConfig::chances, 0, 1, "ring: the probability of each move; empty: all alike")
          .real("data.forward", &DataConfig::forward, 0, 1, "drift: probability of a step forward, else one step back")
          .integer("data.neighbours", &DataConfig::neighbours, 1, 2047,
                   "neighbours: how many tokens on either side can come next")
          .numbers("data.start", &DataConfig::start, 0, 1,
                   "markov: probability of each token to be the first; empty: the stationary distribution")
          .numbers("data.frequencies", &DataConfig::frequencies, 0, 1,
                   "probability of each token, where tokens are independent; empty: by data.exponent")
          .word("data.formula", &DataConfig::formula, {},
                "formula: the answer as an expression of the tokens x0, x1, .. (x: all of them), of V and C, as in "
                "\"mod(x0 + x1, V)\"")
          .word("data.file", &DataConfig::file, {},
                "table, markov: a CSV, NPY or NPZ file of numbers, relative to the folder of the study")
          .unhashed()
          .word("data.file_hash", &DataConfig::file_hash, {},
                "hash of the content of data.file, filled in when the study is read; given in the study, it holds the "
                "file to that content")
          .word("data.function", &DataConfig::function, {},
                "function: name of the Python function that makes sequences and answers")
          .word("data.function_version", &DataConfig::function_version, {}, "function: the version it gives itself")
          .word("data.function_hash", &DataConfig::function_hash, {},
                "function: hash of its source and of the values that it holds on to")
          .word("data.stream", &DataConfig::stream, {},
                "function: which use of a plain generator this is; it cannot give the same data twice, so no other run "
                "has this name and the run cannot be repeated");
  return schema;
}

}  // namespace atto
