// A deck of tokens, for tasks that draw without replacement.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>

#include "kernels/random.h"

namespace atto {

// Tokens 0 .. size-1 to be drawn without replacement: Fisher and Yates's shuffle as far as it is needed, and undone
// afterwards at the same cost, so that a sequence depends on none drawn before it. It lives on the stack: drawing
// allocates nothing.
class Deck {
 public:
  static constexpr size_t kMostTokens = 1 << 16;
  static constexpr size_t kMostDraws = 2048;  // from a full deck: the keys of 2047 pairs, and one to spare

  explicit Deck(uint32_t size) : size_(size) { std::iota(card_.data(), card_.data() + size, uint16_t{0}); }

  int32_t draw(uint32_t word) { return take(next(word)); }
  // The card that draw() would give, left in the deck.
  int32_t look(uint32_t word) const { return card_[next(word)]; }
  // The card at `place`, which before the first draw is the token of that number. Cards below `drawn_` are not looked
  // at again, so the card there need not be put in the place of the one that leaves.
  int32_t take(uint32_t place) {
    const int32_t token = card_[place];
    card_[place] = card_[drawn_];
    from_[drawn_++] = place;
    return token;
  }
  // A token that has not been drawn. Its card lay at the place of its number until that place was left behind, which
  // moved it to where the card drawn then had been, and so on: as many moves as draws, at most.
  void remove(int32_t token) {
    auto place = static_cast<uint32_t>(token);
    while (place < drawn_) place = from_[place];
    take(place);
  }
  void reset() {
    while (drawn_ > 0) {
      --drawn_;
      card_[from_[drawn_]] = static_cast<uint16_t>(from_[drawn_]);
    }
  }

 private:
  uint32_t next(uint32_t word) const { return drawn_ + random_below(size_ - drawn_, word); }

  uint32_t size_, drawn_ = 0;
  std::array<uint16_t, kMostTokens> card_;
  std::array<uint32_t, kMostDraws> from_;
};

}  // namespace atto
