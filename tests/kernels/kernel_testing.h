// Calls a kernel on every instruction set and at every misalignment, and compares what it leaves with a reference.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "kernels/simd/denormals.h"
#include "kernels/simd/target.h"

namespace atto {

inline constexpr std::array kWidths{1, 2, 3, 4, 5, 7, 10, 16, 17, 33};  // D: fixed, blocked and general code
inline constexpr std::array kLaneCounts{0, 16, 32, 48, 64, 80, 128};         // n: whole and cut tiles of groups
inline constexpr int kMostElements = 33;                                // twice the lanes of a group, and one more

// Numbers in [-1, 1) that differ from stream to stream.
inline std::vector<float> draw(int count, unsigned stream) {
  std::mt19937 generator(stream);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(static_cast<int32_t>(generator()) >> 8) * 0x1p-23f;
  return values;
}

inline std::vector<int32_t> draw_ids(int count, int bound, unsigned stream) {
  std::mt19937 generator(stream);
  std::vector<int32_t> values(static_cast<size_t>(count));
  for (int32_t& value : values) value = static_cast<int32_t>(generator() % static_cast<unsigned>(bound));
  return values;
}

// A sum and the size of its terms. Rounding is judged by the size, as the sum itself may cancel.
struct Sum {
  double value = 0, size = 0;

  Sum() = default;
  explicit Sum(double start) : value(start), size(std::abs(start)) {}
  void add(double term) { add(term, std::abs(term)); }
  void add(double term, double term_size) {
    value += term;
    size += term_size;
  }
};

// The buffers of one call. Each begins a different number of floats past an aligned address and stands between guard
// words that nobody may touch; results start as NaN unless the caller says otherwise, and inputs must stay as they are.
class Memory {
 public:
  explicit Memory(size_t shift) : shift_(shift) {}

  template <class T>
  const T* input(const std::vector<T>& values) {
    return place(values, Role::input);
  }
  template <class T>
  T* result(const std::vector<T>& start) {
    return place(start, Role::result);
  }
  float* result(int count) { return place(nans(count), Role::result); }
  // Written, but nobody's business afterwards.
  float* scratch(int count) { return place(nans(count), Role::scratch); }
  float* scratch(const std::vector<float>& start) { return place(start, Role::scratch); }

  // The bits of all results, one after the other.
  std::vector<uint32_t> results() const {
    std::vector<uint32_t> all;
    for (const Block& block : blocks_) {
      if (block.role != Role::result) continue;
      const std::vector<uint32_t> words = block.words();
      all.insert(all.end(), words.begin() + kGuards, words.end() - kGuards);
    }
    return all;
  }

  void expect_intact() const {
    for (const Block& block : blocks_) {
      const std::vector<uint32_t> words = block.words();
      for (size_t i = 0; i < kGuards; ++i) {
        EXPECT_EQ(words[i], kGuard) << "written before the start";
        EXPECT_EQ(words[words.size() - 1 - i], kGuard) << "written past the end";
      }
      EXPECT_TRUE(block.role != Role::input || words == block.before) << "an input was changed";
    }
  }

 private:
  enum class Role { input, result, scratch };
  static constexpr size_t kGuards = 16;
  static constexpr uint32_t kGuard = 0xdeadbeef;

  struct Block {
    Role role;
    size_t start;  // bytes into the allocation
    std::unique_ptr<unsigned char[]> bytes;
    std::vector<uint32_t> before;  // guards included

    std::vector<uint32_t> words() const {
      std::vector<uint32_t> now(before.size());
      std::memcpy(now.data(), bytes.get() + start, now.size() * sizeof(uint32_t));
      return now;
    }
  };

  static std::vector<float> nans(int count) {
    return std::vector<float>(static_cast<size_t>(count), std::numeric_limits<float>::quiet_NaN());
  }

  template <class T>
  T* place(const std::vector<T>& values, Role role) {
    static_assert(sizeof(T) == sizeof(uint32_t));
    std::vector<uint32_t> words(values.size() + 2 * kGuards, kGuard);
    if (!values.empty()) std::memcpy(words.data() + kGuards, values.data(), values.size() * sizeof(T));
    const size_t start = (shift_ + blocks_.size()) % 4 * sizeof(T);
    auto bytes = std::make_unique<unsigned char[]>(start + words.size() * sizeof(T));
    std::memcpy(bytes.get() + start, words.data(), words.size() * sizeof(T));
    blocks_.push_back({role, start, std::move(bytes), std::move(words)});
    return reinterpret_cast<T*>(blocks_.back().bytes.get() + start) + kGuards;
  }

  size_t shift_;
  std::deque<Block> blocks_;
};

// Back to the best instruction set when a test is through with the others.
struct RestoreTarget {
  ~RestoreTarget() { pin_target(""); }
};

// Runs `call` with fresh buffers for every target and misalignment; all must leave the same bits, which it returns.
inline std::vector<uint32_t> run_everywhere(const std::function<void(Memory&)>& call) {
  static const std::vector<std::string> targets = supported_targets();
  const RestoreTarget restore;
  const FlushDenormals guard;  // as while a step runs
  std::vector<uint32_t> first;
  for (const std::string& target : targets) {
    pin_target(target);
    for (size_t shift = 0; shift < 4; ++shift) {
      SCOPED_TRACE(target + ", buffers from " + std::to_string(shift) + " floats past alignment");
      Memory memory(shift);
      call(memory);
      memory.expect_intact();
      if (target == targets.front() && shift == 0) first = memory.results();
      EXPECT_TRUE(memory.results() == first) << "other bits than " << targets.front();
    }
  }
  return first;
}

inline std::vector<float> floats_everywhere(const std::function<void(Memory&)>& call) {
  const std::vector<uint32_t> bits = run_everywhere(call);
  std::vector<float> values(bits.size());
  if (!bits.empty()) std::memcpy(values.data(), bits.data(), bits.size() * sizeof(float));
  return values;
}

// The results of `call`, in the order their buffers were asked for, against `expected`.
inline void expect_sums(const std::vector<Sum>& expected, const std::function<void(Memory&)>& call,
                        double tolerance = 1e-6) {
  const std::vector<float> actual = floats_everywhere(call);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::abs(static_cast<double>(actual[i]) - expected[i].value);
    ASSERT_TRUE(error <= tolerance * expected[i].size)  // false for NaN too
        << "result " << i << " is " << actual[i] << ", expected " << expected[i].value;
  }
}

// Slope of `function` along `variable`, by central differences.
template <class Function>
double slope(double& variable, const Function& function) {
  const double at = variable, step = 1e-5;
  variable = at + step;
  const double above = function();
  variable = at - step;
  const double below = function();
  variable = at;
  return (above - below) / (2 * step);
}

}  // namespace atto
