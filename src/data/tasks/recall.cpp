// Recall: a context of key-value pairs and a query, which is one of the keys; the answer is its value
// (k1 v1 k2 v2 .. k_P v_P q → the value after q).
//
// A random permutation of the tokens, new for every sequence, maps keys to values, so no pair can be learnt by heart.
// It is never drawn as a whole: under a uniform permutation the values of distinct keys are distinct tokens, uniform
// and independent of the keys. The query is one of the `repeated` tokens 0 .. R-1 with probability p, and otherwise
// any. Without repetition (B = 1) exactly one slot, at random, holds the query's pair. With B > 1 each slot holds it
// with probability min(1, B/P), independently; so now and then none does, and the value that the permutation would give
// can only be guessed. All other slots hold distinct other keys.
//
// With h > 1 hops the answer is the permutation π applied h times to the query q: q → v1 → .. → v_h, of which every
// step is a pair of the context, at random slots of their own, and B = 1. π is uniform among the permutations whose
// chain does not come back to q (π^i(q) ≠ q for i ≤ h; a lone hop may lead back to its query). Each path of h+1
// distinct tokens is the path of (V-h)! of them, so that v1 .. v_h are distinct tokens other than q, uniform, and the
// rest of π is a uniform matching of the tokens other than q .. v_{h-1} with those other than v1 .. v_h: other keys and
// values are again independent and uniform without replacement. Among the other keys may be v_h, among their values q.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.h"
#include "data/tasks/deck.h"
#include "data/tasks/sequences.h"

namespace atto {
namespace {

constexpr size_t kMostHops = 3;

// Numbers in [0, 1) that decide about the repetitions of a sequence.
class Coins {
 public:
  Coins(const Draw& draw, uint32_t sample) : draw_(draw), sample_(sample) {}

  double toss() {
    if (tossed_ % 4 == 0) words_ = random_block(draw_.seed, Purpose::repeats, draw_.step, sample_, tossed_ / 4);
    return words_[tossed_++ % 4] * 0x1p-32;
  }

 private:
  const Draw& draw_;
  uint32_t sample_, tossed_ = 0;
  std::array<uint32_t, 4> words_{};
};

// Pairs and the query.
int64_t context_of(const DataConfig& config) {
  const int64_t context = 2 * config.pairs + 1;
  if (config.context != 0 && config.context != context)
    throw Error(ErrorKind::config,
                "data.context = " + std::to_string(config.context) + " is too " +
                    (config.context < context ? "short" : "long") + " for data.pairs = " +
                    std::to_string(config.pairs) + " pairs and a query, which take " + std::to_string(context),
                "set data.context = 0, which follows data.pairs, or " + std::to_string(context));
  return context;
}

void check(const DataConfig& config) {
  const std::string vocab = "data.vocab = " + std::to_string(config.vocab);
  if (config.pairs > config.vocab)
    throw Error(ErrorKind::config,
                "data.pairs = " + std::to_string(config.pairs) + " is more than the keys that " + vocab + " allows",
                "lower data.pairs or raise data.vocab");
  const bool repeats = config.repeat > 1 || (config.schedule != DiversityKind::constant && config.later_repeat > 1);
  if (repeats && config.pairs == config.vocab)
    throw Error(ErrorKind::config,
                "data.pairs = " + vocab + " leaves no other key for a slot when repetition gives the query none",
                "lower data.pairs, raise data.vocab, or set data.repeat = 1");
  if (config.hops > config.pairs || config.hops >= config.vocab)
    throw Error(ErrorKind::config,
                "data.hops = " + std::to_string(config.hops) +
                    " needs a pair for every hop and a token more, but data.pairs = " + std::to_string(config.pairs) +
                    " and " + vocab,
                "lower data.hops, or raise data.pairs and data.vocab");
  if (config.hops > 1 && repeats)
    throw Error(ErrorKind::config,
                "data.repeat above 1 copies a single pair, but data.hops = " + std::to_string(config.hops) +
                    " asks for a chain of them",
                "set data.repeat = 1 and data.later_repeat = 1, or data.hops = 1");
  if (config.repeated > config.vocab)
    throw Error(ErrorKind::config, "data.repeated = " + std::to_string(config.repeated) + " is more than " + vocab,
                "lower data.repeated or raise data.vocab");
  if (config.targets != Targets::last)
    throw Error(ErrorKind::config, "data.targets = \"every\", but recall asks one question, at the last position",
                "set data.targets = \"last\"");
  if (config.exponent != 0)
    throw Error(ErrorKind::config, "data.exponent sets the frequencies of independent tokens; recall has its own",
                "leave data.exponent at 0");
}

// Probability that a slot holds the query's pair.
double share(double pairs, int64_t repeat) { return std::min(1.0, static_cast<double>(repeat) / pairs); }

// The loss when no slot holds it: what is left then are the V-P tokens that no slot has as its value.
double unanswerable(const DataConfig& config, int64_t repeat) {
  const auto pairs = static_cast<double>(config.pairs), vocab = static_cast<double>(config.vocab);
  if (repeat == 1 || share(pairs, repeat) == 1) return 0;
  return std::pow(1 - share(pairs, repeat), pairs) * std::log(vocab - pairs);
}

TaskSpec describe_recall(const DataConfig& given) {
  DataConfig config = given;
  config.context = context_of(given);
  TaskSpec spec = describe_tokens(config, static_cast<int>(config.context) - 1);
  check(config);
  spec.relevant = true;
  const int64_t later = config.schedule == DiversityKind::constant ? config.repeat : config.later_repeat;
  spec.references = {{"best", std::min(unanswerable(config, config.repeat), unanswerable(config, later))},
                     {"guess", std::log(static_cast<double>(config.pairs))}};
  return spec;
}

class Recall final : public Task {
 public:
  Recall(const DataConfig& config, const TaskSpec& spec)
      : Task(spec),
        pairs_(static_cast<uint32_t>(config.pairs)),
        hops_(static_cast<uint32_t>(config.hops)),
        repeated_(static_cast<uint32_t>(config.repeated)),
        diversity_{config.repeat, config.cross} {}

  // Of the training data at the start. The query has f_v = p/R for repeated tokens, + (1-p)/V for all; another key is
  // uniform over the rest, which gives g_v = (1 - f_v)/(V-1), on a chain or not; a value is uniform. With a chain
  // each of its h values has g_v, too, and the other values are uniform over what is left.
  std::vector<double> frequencies() const override {
    const double v = vocabulary(), slots = pairs_, taken = slots * share(pairs_, diversity_.repeat), chain = hops_;
    std::vector<double> result(static_cast<size_t>(vocabulary()));
    for (size_t token = 0; token < result.size(); ++token) {
      const double query = (1 - diversity_.cross) / v + (token < repeated_ ? diversity_.cross / repeated_ : 0);
      const double other = (1 - query) / (v - 1);
      const double values =
          hops_ == 1 ? slots / v : chain * other + (slots - chain) * (1 - chain * other) / (v - chain);
      result[token] = ((1 + taken) * query + (slots - taken) * other + values) / context();
    }
    return result;
  }

  void fill(const Draw& draw, const Batch& batch) const override {
    const auto lanes = static_cast<size_t>(batch.lanes);
    // C+1 = 2P+2 words a sequence, read before its tokens take their place.
    const auto* words = reinterpret_cast<const uint32_t*>(batch.tokens);
    random_words(draw.seed, static_cast<uint32_t>(Purpose::data), draw.step, draw.first_sample, (context() + 4) / 4,
                 reinterpret_cast<uint32_t*>(batch.tokens), batch.lanes);
    std::fill_n(batch.relevant, static_cast<size_t>(context()) * lanes, 0.0f);
    Deck keys(static_cast<uint32_t>(vocabulary())), values(static_cast<uint32_t>(vocabulary()));
    std::array<uint32_t, 2 * Deck::kMostDraws> own;
    for (size_t lane = 0; lane < lanes; ++lane) {
      for (size_t i = 0; i < 2 * size_t{pairs_} + 2; ++i) own[i] = words[i * lanes + lane];
      if (hops_ == 1) write_sequence(draw, batch, lane, own.data(), keys, values);
      else write_chain(draw, batch, lane, own.data(), keys, values);
      keys.reset();
      values.reset();
    }
    weigh_samples(batch);
  }

 private:
  // From the words of one lane: query, slot (B = 1), answer, then key and value of every other pair.
  void write_sequence(const Draw& draw, const Batch& batch, size_t lane, const uint32_t* word, Deck& keys,
                      Deck& values) const {
    const auto lanes = static_cast<size_t>(batch.lanes);
    Coins coins(draw, draw.first_sample + static_cast<uint32_t>(lane));
    const bool once = draw.diversity.repeat == 1;
    const double taken = share(pairs_, draw.diversity.repeat);
    const uint32_t query = draw_query(draw, coins, *word++);
    const uint32_t slot = once ? random_below(pairs_, *word++) : 0;
    const int32_t asked = keys.take(query), answer = values.draw(*word++);

    int32_t* token = batch.tokens + lane;
    for (uint32_t i = 0; i < pairs_; ++i, token += 2 * lanes) {
      if (once ? i == slot : coins.toss() < taken) {
        token[0] = asked;
        token[lanes] = answer;
        batch.relevant[(2 * i + 1) * lanes + lane] = 1;
      } else {
        token[0] = keys.draw(*word++);
        token[lanes] = values.draw(*word++);
      }
    }
    *token = asked;
    batch.targets[lane] = answer;
  }

  // From the words of one lane: query, slots of the chain, chain, then key and value of every other pair.
  void write_chain(const Draw& draw, const Batch& batch, size_t lane, const uint32_t* word, Deck& keys,
                   Deck& values) const {
    const auto lanes = static_cast<size_t>(batch.lanes);
    Coins coins(draw, draw.first_sample + static_cast<uint32_t>(lane));
    std::array<int32_t, kMostHops + 1> path;  // q, v1 .. v_h: the first h of them are keys, the last h values
    path[0] = keys.take(draw_query(draw, coins, *word++));
    const std::array<uint32_t, kMostHops> slot = draw_slots(word);
    word += hops_;
    for (uint32_t hop = 1; hop <= hops_; ++hop) {
      path[hop] = hop < hops_ ? keys.draw(*word++) : keys.look(*word++);
      values.remove(path[hop]);
    }

    int32_t* token = batch.tokens + lane;
    for (uint32_t i = 0; i < pairs_; ++i, token += 2 * lanes) {
      const auto hop = static_cast<size_t>(std::find(slot.begin(), slot.begin() + hops_, i) - slot.begin());
      token[0] = hop < hops_ ? path[hop] : keys.draw(*word++);
      token[lanes] = hop < hops_ ? path[hop + 1] : values.draw(*word++);
    }
    *token = path[0];
    batch.targets[lane] = path[hops_];
    batch.relevant[(2 * slot[hops_ - 1] + 1) * lanes + lane] = 1;
  }

  uint32_t draw_query(const Draw& draw, Coins& coins, uint32_t word) const {
    const double p = draw.diversity.cross;
    const bool preferred = p > 0 && coins.toss() < p;
    return random_below(preferred ? repeated_ : static_cast<uint32_t>(vocabulary()), word);
  }

  // Distinct slots for the pairs of the chain: the i-th is uniform over those not yet taken, counted past the taken.
  std::array<uint32_t, kMostHops> draw_slots(const uint32_t* word) const {
    std::array<uint32_t, kMostHops> slot{}, taken{};  // in the order of the chain; ascending
    for (uint32_t i = 0; i < hops_; ++i) {
      slot[i] = random_below(pairs_ - i, word[i]);
      for (uint32_t j = 0; j < i; ++j) slot[i] += slot[i] >= taken[j];
      taken[i] = slot[i];
      std::sort(taken.begin(), taken.begin() + i + 1);
    }
    return slot;
  }

  uint32_t pairs_, hops_, repeated_;
  Diversity diversity_;
};

}  // namespace

TaskKind recall_task() {
  return {{"data.vocab", "data.pairs"},
          true,
          describe_recall,
          make_from<Recall>,
          {},
          {{"data.context", "0"}, {"data.vocab", "16"}, {"data.pairs", "4"}}};
}

}  // namespace atto
