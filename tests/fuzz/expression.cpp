// Expressions: any text is refused, or has a value of the shape that was told before, and the same bits in many lanes.
#include <cmath>
#include <cstring>

#include "fuzz.h"
#include "math/expression/lanes.h"

namespace atto::fuzz {
namespace {

// By the first letter of its name.
Shape shape_of(const std::string& name) {
  switch (name.front()) {
    case 'm':
      return {3, 3};
    case 'n':
      return {2, 3};
    case 'u':
      return {2};
    case 'v':
      return {3};
    default:
      return {};
  }
}

Tensor value_of(const std::string& name) {
  constexpr double kSpecial[] = {0, 1, -0.5, 3, 1e300, -2, NAN, INFINITY, 7.25};
  Tensor value{shape_of(name), {}};
  for (size_t i = 0; i < element_count(value.shape); ++i) value.values.push_back(kSpecial[(i + name.size() - 1) % 9]);
  return value;
}

bool same(double a, double b) { return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace
}  // namespace atto::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace atto;
  fuzz::may_refuse([&] {
    const Expression expression(std::string(reinterpret_cast<const char*>(data), size));
    const Shape shape = expression.shape(fuzz::shape_of);
    if (element_count(shape) > 10'000) return;
    const Tensor alone = expression.evaluate(fuzz::value_of);
    fuzz::require(alone.shape == shape && alone.values.size() == element_count(shape), "the shape is known before");

    const LaneProgram program(expression, fuzz::shape_of);
    constexpr size_t kLanes = 3;
    std::vector<Tensor> values;
    for (const Expression::Name& one : expression.names()) values.push_back(fuzz::value_of(one.name));
    std::vector<LaneInput> inputs;
    for (const Tensor& one : values) inputs.push_back(every_lane(one.values.data()));
    LaneScratch scratch = program.scratch();
    std::vector<double> out(kLanes * alone.values.size());
    program.run(inputs, kLanes, out.data(), scratch);
    for (size_t i = 0; i < out.size(); ++i)
      fuzz::require(fuzz::same(out[i], alone.values[i % alone.values.size()]), "lanes have the bits of one value");
  });
  return 0;
}
