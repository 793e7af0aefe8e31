// What the settings of data may be.
#include "data/config.h"

#include <gtest/gtest.h>

#include "base/limits.h"
#include "data/regression.h"

namespace atto {
namespace {

TEST(DataConfig, NumbersHaveTheirLimits) {
  expect_limits(
      data_schema(),
      {
          {"data.chances", {0, 1}},        {"data.context", {0, 1e6}},      {"data.cross", {0, 1}},
          {"data.dimension", {1, 1e5}},    {"data.exponent", {0, 20}},      {"data.forward", {0, 1}},
          {"data.frequencies", {0, 1}},    {"data.hops", {1, 3}},           {"data.later_cross", {0, 1}},
          {"data.later_repeat", {1, 1e6}}, {"data.moves", {-65536, 65536}}, {"data.neighbours", {1, 2047}},
          {"data.offset", {0, 4095}},      {"data.pairs", {1, 2047}},       {"data.rank", {1, 4096}},
          {"data.repeat", {1, 1e6}},       {"data.repeated", {1, 65536}},   {"data.scale", {0, 1000}},
          {"data.size", {0, 268435456}},   {"data.split", {0, 1}},          {"data.start", {0, 1}},
          {"data.switch_loss", {0, 1}},    {"data.switch_step", {0, 1e12}}, {"data.table", {0, 9007199254740992.0}},
          {"data.vocab", {2, 65536}},
      });
  expect_limits(regression_schema(),
                {{"cross", {0, 1}}, {"dimension", {1, 1e9}}, {"length", {2, 1e9}}, {"repeat", {1, 1e9}}});
}

}  // namespace
}  // namespace atto
