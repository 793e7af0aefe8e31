// The one expression language: the terms of fits, reference lines of figures, [[quantity]] of a study, formulas of
// data.
//
//   sqrt(data.vocab) * data.context / 2        loss.test - best_loss        mod(x0 + x1, V)
//   singular_values(layer.0.query' * layer.0.key)[0]
//
// Values are numbers, vectors and matrices of double. From the loosest binding to the tightest:
//   c ? a : b       ||       &&       < <= > >= == !=       + -       * / .*       - ! (in front)       ^       ' [..]
//   f(..)
// `*` is the product of matrices, of a matrix and a vector, and of a number and anything; `.*` and all other arithmetic
// go entry by entry, where a number goes with every entry. Comparisons give 1 or 0. `'` transposes a matrix. [2], [-1]
// is an entry of a vector or a row of a matrix, counted from 0 or from the end; [1, 2] an entry of a matrix; [0:3]
// entries 0, 1, 2; [:, 0] a column. Names hold letters, digits, `_` and dots. Constants are _pi and _e.
// expression_functions() lists the functions, which `atto help expressions` shows.
//
// An expression is read once and evaluated with evaluate(), number() or, for many at once, LaneProgram (lanes.h). All
// of them run the same instructions, so they agree bit for bit. Nothing is an error when numbers are: 1/0 is infinite.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "math/expression/tensor.h"

namespace atto {

// Error(config) about a text in which `position()`, counted in bytes from 0, is where it went wrong.
class ExpressionError : public Error {
 public:
  ExpressionError(const std::string& message, std::string remedy, size_t position)
      : Error(ErrorKind::config, message, std::move(remedy)), position_(position) {}
  size_t position() const { return position_; }

 private:
  size_t position_;
};

inline constexpr size_t kLongestExpression = 1000;        // characters
inline constexpr size_t kDeepestExpression = 50;          // parentheses inside each other
inline constexpr size_t kLargestExpression = 10'000'000;  // numbers in any of its parts

struct SyntaxTree;  // syntax.h

class Expression {
 public:
  Expression() = default;
  // Throws ExpressionError when it cannot be read, or is too long or too deeply nested.
  explicit Expression(std::string text);

  const std::string& text() const { return text_; }
  // The names it reads, each with the position at which it first stands, in the order of the text.
  struct Name {
    std::string name;
    size_t position = 0;
  };
  const std::vector<Name>& names() const;
  bool reads(const std::string& name) const;
  // Whether it is a comparison, or made of such by &&, || and !: 1 or 0 whatever it reads.
  bool yes_or_no() const;
  // ExpressionError with the nearest name unless all its names are among these.
  void check_names(const std::vector<std::string>& known) const;

  // The shape of its value where each name has the shape that `shape_of` gives. ExpressionError, with both shapes, when
  // they do not fit together.
  Shape shape(const std::function<Shape(const std::string&)>& shape_of) const;
  // Its value where each name has the value that `value_of` gives. ExpressionError as shape() does.
  Tensor evaluate(const std::function<Tensor(const std::string&)>& value_of) const;
  // The same over numbers; may be infinite or NaN (1/0, ln(-1)). ExpressionError where the value is not a number.
  double number(const std::function<double(const std::string&)>& value_of) const;

  const SyntaxTree& tree() const { return *tree_; }

 private:
  std::string text_;
  std::shared_ptr<const SyntaxTree> tree_;  // never changes, so copies share it
};

// An expression over numbers that gives a number: ExpressionError as above, or where it would not.
Expression number_expression(const std::string& text);

// A function of the language, for help.
struct FunctionHelp {
  std::string usage;  // "cosine(a, b)"
  std::string help;
};
std::vector<FunctionHelp> expression_functions();

}  // namespace atto
