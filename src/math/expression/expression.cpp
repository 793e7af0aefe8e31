#include "math/expression/expression.h"

#include <algorithm>

#include "base/contains.h"
#include "base/names.h"
#include "math/expression/lanes.h"
#include "math/expression/syntax.h"

namespace atto {

Expression::Expression(std::string text) : text_(std::move(text)) {
  tree_ = std::make_shared<const SyntaxTree>(parse_expression(text_));
}

const std::vector<Expression::Name>& Expression::names() const {
  static const std::vector<Name> none;
  return tree_ ? tree_->names : none;
}

bool Expression::reads(const std::string& name) const {
  return std::any_of(names().begin(), names().end(), [&](const Name& one) { return one.name == name; });
}

bool Expression::yes_or_no() const {
  const SyntaxNode& root = tree_->nodes.back();
  if (root.kind != SyntaxNode::Kind::call) return false;
  return contains({"<", "<=", ">", ">=", "==", "!=", "&&", "||", "!"}, std::string(root.function->name()));
}

void Expression::check_names(const std::vector<std::string>& known) const {
  for (const Name& one : names()) {
    if (std::find(known.begin(), known.end(), one.name) != known.end()) continue;
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    throw ExpressionError("unknown name '" + one.name + "'" + did_you_mean(one.name, known), "its names can be " + list,
                          one.position);
  }
}

Shape Expression::shape(const std::function<Shape(const std::string&)>& shape_of) const {
  return LaneProgram(*this, shape_of, 1).shape();
}

Tensor Expression::evaluate(const std::function<Tensor(const std::string&)>& value_of) const {
  std::vector<Tensor> values;
  for (const Name& one : names()) values.push_back(value_of(one.name));
  size_t next = 0;
  const LaneProgram program(
      *this, [&](const std::string&) { return values[next++].shape; }, 1);
  std::vector<LaneInput> inputs;
  for (const Tensor& value : values) inputs.push_back(every_lane(value.values.data()));
  Tensor result{program.shape(), std::vector<double>(element_count(program.shape()))};
  LaneScratch scratch = program.scratch();
  program.run(inputs, 1, result.values.data(), scratch);
  return result;
}

namespace {

[[noreturn]] void refuse_value(const std::string& text, const Shape& shape) {
  throw ExpressionError("the expression '" + text + "' gives " + shape_text(shape), "it must give a number", 0);
}

}  // namespace

double Expression::number(const std::function<double(const std::string&)>& value_of) const {
  const Tensor result = evaluate([&](const std::string& name) { return Tensor{{}, {value_of(name)}}; });
  if (!result.shape.empty()) refuse_value(text_, result.shape);
  return result.values.front();
}

Expression number_expression(const std::string& text) {
  Expression expression(text);
  const Shape shape = expression.shape([](const std::string&) { return Shape{}; });
  if (!shape.empty()) refuse_value(text, shape);
  return expression;
}

std::vector<FunctionHelp> expression_functions() {
  std::vector<FunctionHelp> all;
  for (const Function& one : functions()) all.push_back({std::string(one.usage), std::string(one.help)});
  return all;
}

}  // namespace atto
