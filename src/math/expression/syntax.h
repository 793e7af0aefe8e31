// The syntax tree of an expression, and the parser that makes it.
#pragma once

#include <optional>
#include <vector>

#include "math/expression/expression.h"
#include "math/expression/functions.h"

namespace atto {

// One part of an index: [2], or a range [0:3] whose ends may be left out. Negative numbers count from the end.
struct IndexPart {
  bool range = false;
  std::optional<int64_t> first, last;
};

struct SyntaxNode {
  enum class Kind { number, name, index, call };
  Kind kind = Kind::number;
  size_t position = 0;            // in the text
  std::vector<size_t> arguments;  // nodes before this one
  double number = 0;
  size_t name = 0;                     // in SyntaxTree::names
  const Function* function = nullptr;  // of a call; operators are calls, too
  std::vector<IndexPart> parts;        // of an index
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;  // each after its arguments; the last is the root
  std::vector<Expression::Name> names;
};

// Throws ExpressionError.
SyntaxTree parse_expression(const std::string& text);

// The entries that an index selects, and the shape they have. Throws ShapeFault.
struct Selection {
  Shape shape;
  std::vector<size_t> sources;
};
Selection select_entries(const std::vector<IndexPart>& parts, const Shape& shape);

}  // namespace atto
