// Draws from alias tables: word by word against the definition, on every instruction set.
#include <gtest/gtest.h>

#include "kernels/kernel_testing.h"
#include "kernels/kernels.h"

namespace atto {
namespace {

std::vector<uint32_t> draw_words(int count, unsigned stream) {
  std::mt19937 generator(stream);
  std::vector<uint32_t> words(static_cast<size_t>(count));
  for (uint32_t& word : words) word = static_cast<uint32_t>(generator());
  return words;
}

// Word · bound = slot · 2^32 + coin; the slot is kept if the coin is below its threshold.
int32_t pick(uint32_t word, uint32_t bound, const uint32_t* keep, const int32_t* alias) {
  const uint64_t product = uint64_t{word} * bound;
  const auto slot = static_cast<uint32_t>(product >> 32), coin = static_cast<uint32_t>(product);
  return coin < keep[slot] ? static_cast<int32_t>(slot) : alias[slot];
}

struct Tables {
  uint32_t bound;
  int count;
  std::vector<uint32_t> keep = draw_words(count * static_cast<int>(bound), 1);
  std::vector<int32_t> alias = draw_ids(count * static_cast<int>(bound), static_cast<int>(bound), 2);
};

TEST(AliasedIntegers, FollowTheDefinition) {
  for (const uint32_t bound : {1u, 2u, 7u, 100u, 65536u}) {
    const int tables = bound > 1000 ? 2 : 5;
    Tables table{bound, tables};
    table.keep[0] = 0;            // never kept
    table.keep[bound - 1] = ~0u;  // kept but for one coin
    for (int count = bound > 1000 ? kMostElements : 0; count <= kMostElements; ++count) {
      SCOPED_TRACE("bound " + std::to_string(bound) + ", count " + std::to_string(count));
      auto words = draw_words(count, 3);
      if (count > 0) words[0] = 0;
      if (count > 1) words[1] = ~0u;
      const auto rows = draw_ids(count, tables, 4);
      for (const bool by_row : {false, true}) {
        std::vector<uint32_t> expected;
        for (int i = 0; i < count; ++i) {
          const size_t first = by_row ? static_cast<size_t>(rows[i]) * bound : 0;
          expected.push_back(
              static_cast<uint32_t>(pick(words[i], bound, table.keep.data() + first, table.alias.data() + first)));
        }
        const auto actual = run_everywhere([&](Memory& memory) {
          aliased_integers(memory.input(words), bound, memory.input(table.keep), memory.input(table.alias),
                           by_row ? memory.input(rows) : nullptr, memory.result(std::vector<int32_t>(words.size(), -1)),
                           words.size());
        });
        EXPECT_EQ(actual, expected) << (by_row ? "a table each" : "one table");
      }
    }
  }
}

TEST(AliasedIntegers, MayReplaceTheirWords) {
  const Tables table{10, 3};
  const auto words = draw_words(kMostElements, 5);
  const auto rows = draw_ids(kMostElements, 3, 6);
  std::vector<uint32_t> apart(words.size());
  aliased_integers(words.data(), 10, table.keep.data(), table.alias.data(), rows.data(),
                   reinterpret_cast<int32_t*>(apart.data()), words.size());
  EXPECT_EQ(run_everywhere([&](Memory& memory) {
              uint32_t* in_place = memory.result(words);
              aliased_integers(in_place, 10, memory.input(table.keep), memory.input(table.alias), memory.input(rows),
                               reinterpret_cast<int32_t*>(in_place), words.size());
            }),
            apart);
}

}  // namespace
}  // namespace atto
