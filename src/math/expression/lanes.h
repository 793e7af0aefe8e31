// An expression evaluated in many lanes at once: over the samples of a batch, or over the steps of a recording.
//
//   const LaneProgram program(Expression("mod(x0 + x1, V)"), [](const std::string&) { return Shape{}; });
//   LaneScratch scratch = program.scratch();                      // once per thread
//   const LaneInput inputs[] = {lane_input(tokens), lane_input(tokens + n), every_lane(&v)};  // x0, x1, V
//   program.run(inputs, n, out, scratch);                         // out[n]; allocates nothing
//
// Each instruction runs over a block of lanes before the next one starts, so that the loops are over numbers and not
// over the tree. A lane does not depend on its neighbours: the result is that of Expression::evaluate, bit for bit.
#pragma once

#include <span>
#include <vector>

#include "math/expression/expression.h"
#include "math/expression/functions.h"

namespace atto {

// Where a name's numbers stand: entry e of lane i is values[e * entry_stride + i * lane_stride].
struct LaneInput {
  const double* reals = nullptr;
  const int32_t* integers = nullptr;  // where `reals` is not given
  size_t lane_stride = 1;
  size_t entry_stride = 0;
};
inline LaneInput lane_input(const double* values) { return {values, nullptr, 1, 0}; }
inline LaneInput lane_input(const int32_t* values) { return {nullptr, values, 1, 0}; }
// The same value in every lane, row-major.
inline LaneInput every_lane(const double* values) { return {values, nullptr, 0, 1}; }
// One row-major value after another, `entries` numbers each.
inline LaneInput values_by_lane(const double* values, size_t entries) { return {values, nullptr, entries, 1}; }

struct LaneScratch {
  std::vector<double> registers;
  std::vector<double> gathered;   // arguments and result of one lane
  std::vector<TensorView> views;  // of these
};

class LaneProgram {
 public:
  // Expressions of numbers run in blocks of this many lanes, those of larger values in smaller blocks.
  static constexpr size_t kMostLanes = 256;

  LaneProgram() = default;
  // ExpressionError where the shapes do not fit together.
  LaneProgram(const Expression& expression, const std::function<Shape(const std::string&)>& shape_of,
              size_t most_lanes = kMostLanes);

  const Shape& shape() const { return shape_; }
  LaneScratch scratch() const;
  // One input for each of the expression's names, in their order. Writes lanes × element_count(shape()) numbers: the
  // values of the lanes, one after the other.
  void run(std::span<const LaneInput> inputs, size_t lanes, double* out, LaneScratch& scratch) const;

 private:
  // Values of a node: [entry][lane] of a block, from `offset` × block on.
  struct Register {
    size_t offset = 0, entries = 1;
    Shape shape;
  };
  struct Instruction {
    const Function* function = nullptr;  // none: `sources` says where the entries come from
    std::vector<size_t> arguments;       // registers
    std::vector<size_t> sources;
    size_t result = 0;
  };

  class Builder;
  void run_block(size_t lanes, LaneScratch& scratch) const;
  void run_elementwise(const Instruction& one, ElementKernel kernel, size_t lanes, double* registers) const;
  void run_fold(const Instruction& one, const Fold& fold, size_t lanes, double* registers) const;
  void run_whole(const Instruction& one, WholeKernel kernel, size_t lanes, LaneScratch& scratch) const;

  std::vector<Register> registers_;
  std::vector<Instruction> instructions_;
  std::vector<std::pair<size_t, double>> constants_;  // register, value
  std::vector<size_t> names_;                         // the register of each name
  size_t result_ = 0, size_ = 0, gathered_ = 0, arguments_ = 0, block_ = 1;
  Shape shape_;
};

}  // namespace atto
