// Recall: a context of key-value pairs and a query, which is one of the keys; the answer is its value
// (k1 v1 k2 v2 .. k_P v_P q → the value after q).
//
// A random permutation of the tokens, new for every sequence, maps keys to values, so no pair can be learnt by heart.
// It is never drawn as a whole: under a uniform permutation the values of distinct keys are distinct tokens, uniform
// and independent of the keys. The query is one of the `repeated` tokens 0 .. R-1 with probability p, and otherwise
// any. Without repetition (B = 1) exactly one slot, at random, holds the query's pair. With B > 1 each slot holds it
// with probability min(1, B/P), independently; so now and then none does, and the value that the permutation would give
// can only be guessed. All other slots hold distinct other keys.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "data/sequences.h"
#include "data/tasks.h"
#include "numeric/error.h"

namespace atto {
namespace {

constexpr size_t kMostTokens = 1 << 16, kMostPairs = 2047;

// Tokens 0 .. size-1 to be drawn without replacement: Fisher and Yates's shuffle as far as it is needed, and undone
// afterwards at the same cost, so that a sequence depends on none drawn before it. It lives on the stack: drawing
// allocates nothing.
class Deck {
 public:
  explicit Deck(uint32_t size) : size_(size) { std::iota(card_.data(), card_.data() + size, uint16_t{0}); }

  int32_t draw(uint32_t word) { return take(drawn_ + random_below(size_ - drawn_, word)); }
  // The card at `place`, which before the first draw is the token of that number. Cards below `drawn_` are not looked
  // at again, so the card there need not be put in the place of the one that leaves.
  int32_t take(uint32_t place) {
    const int32_t token = card_[place];
    card_[place] = card_[drawn_];
    from_[drawn_++] = place;
    return token;
  }
  void reset() {
    while (drawn_ > 0) {
      --drawn_;
      card_[from_[drawn_]] = static_cast<uint16_t>(from_[drawn_]);
    }
  }

 private:
  uint32_t size_, drawn_ = 0;
  std::array<uint16_t, kMostTokens> card_;
  std::array<uint32_t, kMostPairs + 1> from_;
};

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

DataConfig with_context(DataConfig config) {
  const int64_t context = 2 * config.pairs + 1;
  if (config.context != 0 && config.context != context)
    throw Error(ErrorKind::config,
                "data.context = " + std::to_string(config.context) + " is too " +
                    (config.context < context ? "short" : "long") + " for data.pairs = " +
                    std::to_string(config.pairs) + " pairs and a query, which take " + std::to_string(context),
                "set data.context = 0, which follows data.pairs, or " + std::to_string(context));
  config.context = context;
  return config;
}

void check(const DataConfig& config) {
  const std::string vocab = "data.vocab = " + std::to_string(config.vocab);
  if (config.pairs > config.vocab)
    throw Error(ErrorKind::config,
                "data.pairs = " + std::to_string(config.pairs) + " is more than the keys that " + vocab + " allows",
                "lower data.pairs or raise data.vocab");
  const bool repeats = config.repeat > 1 || (config.schedule != "constant" && config.later_repeat > 1);
  if (repeats && config.pairs == config.vocab)
    throw Error(ErrorKind::config,
                "data.pairs = " + vocab + " leaves no other key for a slot when repetition gives the query none",
                "lower data.pairs, raise data.vocab, or set data.repeat = 1");
  if (config.repeated > config.vocab)
    throw Error(ErrorKind::config, "data.repeated = " + std::to_string(config.repeated) + " is more than " + vocab,
                "lower data.repeated or raise data.vocab");
  if (config.targets != "last")
    throw Error(ErrorKind::config, "data.targets = \"every\", but recall asks one question, at the last position",
                "set data.targets = \"last\"");
  if (config.exponent != 0)
    throw Error(ErrorKind::config, "data.exponent sets the frequencies of independent tokens; recall has its own",
                "leave data.exponent at 0");
}

class Recall final : public Task {
 public:
  explicit Recall(const DataConfig& config)
      : Task(config, static_cast<int>(config.context) - 1),
        pairs_(static_cast<uint32_t>(config.pairs)),
        repeated_(static_cast<uint32_t>(config.repeated)),
        diversity_{config.repeat, config.cross},
        later_repeat_(config.schedule == "constant" ? config.repeat : config.later_repeat) {
    check(config);
  }

  bool has_relevant() const override { return true; }

  // Of the training data at the start. The query has f_v = p/R for repeated tokens, + (1-p)/V for all; another key is
  // uniform over the rest, which gives (1 - f_v)/(V-1); a value is uniform.
  std::vector<double> frequencies() const override {
    const double v = vocabulary(), slots = pairs_, taken = slots * share(diversity_.repeat);
    std::vector<double> result(static_cast<size_t>(vocabulary()));
    for (size_t token = 0; token < result.size(); ++token) {
      const double query = (1 - diversity_.cross) / v + (token < repeated_ ? diversity_.cross / repeated_ : 0);
      result[token] = ((1 + taken) * query + (slots - taken) * (1 - query) / (v - 1) + slots / v) / context();
    }
    return result;
  }

  std::vector<ReferenceLoss> references() const override {
    return {{"best", std::min(unanswerable(diversity_.repeat), unanswerable(later_repeat_))},
            {"guess", std::log(static_cast<double>(pairs_))}};
  }

  void fill(const Draw& draw, const Batch& batch) const override {
    const auto lanes = static_cast<size_t>(batch.lanes);
    // C+1 = 2P+2 words a sequence, read before its tokens take their place.
    const auto* words = reinterpret_cast<const uint32_t*>(batch.tokens);
    random_words(draw.seed, static_cast<uint32_t>(Purpose::data), draw.step, draw.first_sample, (context() + 4) / 4,
                 reinterpret_cast<uint32_t*>(batch.tokens), batch.lanes);
    std::fill_n(batch.relevant, static_cast<size_t>(context()) * lanes, 0.0f);
    Deck keys(static_cast<uint32_t>(vocabulary())), values(static_cast<uint32_t>(vocabulary()));
    std::array<uint32_t, 2 * kMostPairs + 2> own;
    for (size_t lane = 0; lane < lanes; ++lane) {
      for (size_t i = 0; i < 2 * size_t{pairs_} + 2; ++i) own[i] = words[i * lanes + lane];
      write_sequence(draw, batch, lane, own.data(), keys, values);
      keys.reset();
      values.reset();
    }
    weigh_samples(batch);
  }

 private:
  // Probability that a slot holds the query's pair.
  double share(int64_t repeat) const { return std::min(1.0, static_cast<double>(repeat) / pairs_); }

  // The loss when no slot holds it: what is left then are the V-P tokens that no slot has as its value.
  double unanswerable(int64_t repeat) const {
    if (repeat == 1 || share(repeat) == 1) return 0;
    return std::pow(1 - share(repeat), pairs_) * std::log(static_cast<double>(vocabulary()) - pairs_);
  }

  // From the words of one lane: query, slot (B = 1), answer, then key and value of every other pair.
  void write_sequence(const Draw& draw, const Batch& batch, size_t lane, const uint32_t* word, Deck& keys,
                      Deck& values) const {
    const auto lanes = static_cast<size_t>(batch.lanes);
    Coins coins(draw, draw.first_sample + static_cast<uint32_t>(lane));
    const bool once = draw.diversity.repeat == 1;
    const double p = draw.diversity.cross, taken = share(draw.diversity.repeat);
    const bool preferred = p > 0 && coins.toss() < p;
    const uint32_t query = random_below(preferred ? repeated_ : static_cast<uint32_t>(vocabulary()), *word++);
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

  uint32_t pairs_, repeated_;
  Diversity diversity_;
  int64_t later_repeat_;
};

}  // namespace

std::unique_ptr<Task> make_recall(const DataConfig& config, uint64_t) {
  return std::make_unique<Recall>(with_context(config));
}

}  // namespace atto
