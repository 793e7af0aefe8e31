#include "math/expression/lanes.h"

#include <algorithm>
#include <map>

#include "math/expression/syntax.h"

namespace atto {
namespace {

constexpr size_t kBlockNumbers = 4096;  // of one register: a few of them stay in the first-level cache

void convert(const LaneInput& input, size_t entries, size_t first_lane, size_t lanes, double* out) {
  const auto copy = [&](const auto* values) {
    for (size_t e = 0; e < entries; ++e, out += lanes) {
      const auto* from = values + e * input.entry_stride + first_lane * input.lane_stride;
      if (input.lane_stride == 1)
        for (size_t i = 0; i < lanes; ++i) out[i] = static_cast<double>(from[i]);
      else
        for (size_t i = 0; i < lanes; ++i) out[i] = static_cast<double>(from[i * input.lane_stride]);
    }
  };
  if (input.reals) copy(input.reals);
  else copy(input.integers);
}

}  // namespace

// Gives every node a register and every call an instruction. A result is read once, so its register is free after that.
class LaneProgram::Builder {
 public:
  Builder(LaneProgram& program, const SyntaxTree& tree) : program_(program), tree_(tree) {}

  void build(const std::function<Shape(const std::string&)>& shape_of) {
    for (const Expression::Name& name : tree_.names)
      program_.names_.push_back(lasting(shape_of(name.name), name.position));
    for (const SyntaxNode& node : tree_.nodes) places_.push_back(place(node));
    program_.result_ = places_.back();
    program_.shape_ = program_.registers_[program_.result_].shape;
  }

 private:
  size_t place(const SyntaxNode& node) {
    switch (node.kind) {
      case SyntaxNode::Kind::number:
        program_.constants_.emplace_back(lasting({}, node.position), node.number);
        return program_.constants_.back().first;
      case SyntaxNode::Kind::name:
        return program_.names_[node.name];
      case SyntaxNode::Kind::index:
        return select(node);
      case SyntaxNode::Kind::call:
        break;
    }
    return call(node);
  }

  size_t select(const SyntaxNode& node) {
    const size_t argument = places_[node.arguments[0]];
    try {
      Selection selection = select_entries(node.parts, program_.registers_[argument].shape);
      return finish({nullptr, {argument}, std::move(selection.sources), 0}, selection.shape, node.position);
    } catch (const ShapeFault& fault) {
      throw ExpressionError(fault.message, fault.remedy, node.position);
    }
  }

  size_t call(const SyntaxNode& node) {
    Instruction one{node.function, {}, {}, 0};
    std::vector<Shape> shapes;
    size_t gathered = 0;
    for (const size_t argument : node.arguments) {
      one.arguments.push_back(places_[argument]);
      shapes.push_back(program_.registers_[places_[argument]].shape);
      gathered += element_count(shapes.back());
    }
    Shape shape;
    try {
      shape = node.function->shape(node.function->name(), shapes);
    } catch (const ShapeFault& fault) {
      throw ExpressionError(fault.message, fault.remedy, node.position);
    }
    // A product with a number goes entry by entry, too.
    if (node.function->name() == "*" && (shapes[0].size() != 2 || shapes[1].empty()))
      one.function = find_function(operators(), ".*");
    if (const auto* kernel = std::get_if<SelectKernel>(&node.function->kernel)) {
      one.function = nullptr;
      one.sources = (*kernel)(shapes[0]);
    }
    program_.arguments_ = std::max(program_.arguments_, shapes.size());
    program_.gathered_ = std::max(program_.gathered_, gathered + element_count(shape));
    return finish(std::move(one), shape, node.position);
  }

  size_t finish(Instruction one, const Shape& shape, size_t position) {
    one.result = add_register(shape, position, true);
    for (const size_t argument : one.arguments)
      if (passing_[argument])
        free_[program_.registers_[argument].entries].push_back(program_.registers_[argument].offset);
    program_.instructions_.push_back(std::move(one));
    return program_.instructions_.back().result;
  }

  size_t lasting(const Shape& shape, size_t position) { return add_register(shape, position, false); }

  size_t add_register(const Shape& shape, size_t position, bool passing) {
    double size = 1;  // as the count could overflow
    for (const int64_t extent : shape) size *= static_cast<double>(extent);
    if (size > static_cast<double>(kLargestExpression))
      throw ExpressionError("a part of the expression is " + shape_text(shape) + ", which is too large",
                            "at most " + std::to_string(kLargestExpression) + " numbers are computed", position);
    const size_t entries = element_count(shape);
    size_t offset = program_.size_;
    if (std::vector<size_t>& free = free_[entries]; passing && !free.empty()) {
      offset = free.back();
      free.pop_back();
    } else {
      program_.size_ += entries;
    }
    program_.registers_.push_back({offset, entries, shape});
    passing_.push_back(passing);
    return program_.registers_.size() - 1;
  }

  LaneProgram& program_;
  const SyntaxTree& tree_;
  std::vector<size_t> places_;                  // the register of each node
  std::vector<bool> passing_;                   // is the register free once it was read?
  std::map<size_t, std::vector<size_t>> free_;  // offsets by entries
};

LaneProgram::LaneProgram(const Expression& expression, const std::function<Shape(const std::string&)>& shape_of,
                         size_t most_lanes) {
  Builder(*this, expression.tree()).build(shape_of);
  size_t largest = 1;
  for (const Register& one : registers_) largest = std::max(largest, one.entries);
  block_ = std::clamp<size_t>(kBlockNumbers / largest, 1, std::min(most_lanes, kMostLanes));
  if (block_ == 1) gathered_ = 0;  // values stand together already
}

LaneScratch LaneProgram::scratch() const {
  LaneScratch scratch{std::vector<double>(size_ * block_), std::vector<double>(gathered_),
                      std::vector<TensorView>(arguments_)};
  for (const auto& [place, value] : constants_)
    std::fill_n(scratch.registers.begin() + static_cast<std::ptrdiff_t>(registers_[place].offset * block_), block_,
                value);
  return scratch;
}

void LaneProgram::run(std::span<const LaneInput> inputs, size_t lanes, double* out, LaneScratch& scratch) const {
  const size_t entries = registers_[result_].entries;
  for (size_t first = 0; first < lanes; first += block_) {
    const size_t block = std::min(block_, lanes - first);
    for (size_t i = 0; i < names_.size(); ++i) {
      const Register& name = registers_[names_[i]];
      convert(inputs[i], name.entries, first, block, scratch.registers.data() + name.offset * block_);
    }
    run_block(block, scratch);
    const double* result = scratch.registers.data() + registers_[result_].offset * block_;
    if (entries == 1) {
      out = std::copy_n(result, block, out);
      continue;
    }
    for (size_t i = 0; i < block; ++i)
      for (size_t e = 0; e < entries; ++e) *out++ = result[e * block + i];
  }
}

void LaneProgram::run_block(size_t lanes, LaneScratch& scratch) const {
  double* registers = scratch.registers.data();
  for (const Instruction& one : instructions_) {
    if (!one.function) {
      const double* from = registers + registers_[one.arguments[0]].offset * block_;
      double* to = registers + registers_[one.result].offset * block_;
      for (const size_t source : one.sources) to = std::copy_n(from + source * lanes, lanes, to);
    } else if (const auto* element = std::get_if<ElementKernel>(&one.function->kernel)) {
      run_elementwise(one, *element, lanes, registers);
    } else if (const auto* fold = std::get_if<Fold>(&one.function->kernel)) {
      run_fold(one, *fold, lanes, registers);
    } else {
      run_whole(one, std::get<WholeKernel>(one.function->kernel), lanes, scratch);
    }
  }
}

void LaneProgram::run_elementwise(const Instruction& one, ElementKernel kernel, size_t lanes, double* registers) const {
  const Register& result = registers_[one.result];
  const double* rows[3] = {};
  size_t steps[3] = {};  // a number stays where it is while the entries of others pass
  bool alike = true;
  for (size_t i = 0; i < one.arguments.size(); ++i) {
    const Register& argument = registers_[one.arguments[i]];
    rows[i] = registers + argument.offset * block_;
    steps[i] = argument.shape.empty() ? 0 : lanes;
    alike = alike && argument.entries == result.entries;
  }
  double* out = registers + result.offset * block_;
  if (alike) {
    kernel(rows, out, result.entries * lanes);
    return;
  }
  for (size_t e = 0; e < result.entries; ++e, out += lanes) {
    kernel(rows, out, lanes);
    for (size_t i = 0; i < one.arguments.size(); ++i) rows[i] += steps[i];
  }
}

void LaneProgram::run_fold(const Instruction& one, const Fold& fold, size_t lanes, double* registers) const {
  const Register& result = registers_[one.result];
  const bool single = one.arguments.size() == 1;  // over the entries of one argument, else over arguments
  const size_t terms = single ? registers_[one.arguments[0]].entries : one.arguments.size();
  double prepared[kMostLanes];
  for (size_t e = 0; e < result.entries; ++e) {
    double* out = registers + result.offset * block_ + e * lanes;
    for (size_t term = 0; term < terms; ++term) {
      const Register& argument = registers_[one.arguments[single ? 0 : term]];
      const size_t entry = single ? term : argument.shape.empty() ? 0 : e;
      const double* row = registers + argument.offset * block_ + entry * lanes;
      if (fold.prepare) {
        fold.prepare(&row, prepared, lanes);
        row = prepared;
      }
      const double* pair[2] = {out, row};
      if (term == 0) std::copy_n(row, lanes, out);
      else fold.combine(pair, out, lanes);
    }
    if (terms == 0) std::fill_n(out, lanes, 0.0);
    if (fold.finish) fold.finish(out, lanes, static_cast<double>(terms));
  }
}

void LaneProgram::run_whole(const Instruction& one, WholeKernel kernel, size_t lanes, LaneScratch& scratch) const {
  const Register& result = registers_[one.result];
  double* registers = scratch.registers.data();
  double* out = registers + result.offset * block_;
  std::vector<TensorView>& views = scratch.views;
  for (size_t lane = 0; lane < lanes; ++lane) {
    double* gathered = scratch.gathered.data();
    for (size_t i = 0; i < one.arguments.size(); ++i) {
      const Register& argument = registers_[one.arguments[i]];
      const double* values = registers + argument.offset * block_;
      views[i] = {&argument.shape, lanes == 1 ? values : gathered};
      for (size_t e = 0; lanes > 1 && e < argument.entries; ++e) *gathered++ = values[e * lanes + lane];
    }
    const std::span<const TensorView> arguments(views.data(), one.arguments.size());
    if (lanes == 1) {
      kernel(arguments, out);
      return;
    }
    kernel(arguments, gathered);
    for (size_t e = 0; e < result.entries; ++e) out[e * lanes + lane] = gathered[e];
  }
}

}  // namespace atto
