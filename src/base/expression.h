// Arithmetic over named numbers: "sqrt(data.vocab) * data.context / 2". The only place that knows muParser.
//
// Operators + - * / ^ ( ) and comparisons; functions such as sqrt, ln, log2, log10, exp, abs, min, max; constants _pi
// and _e. Names may hold dots.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"

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

inline constexpr size_t kLongestExpression = 1000;  // characters
inline constexpr size_t kDeepestExpression = 50;    // parentheses inside each other

class Expression {
 public:
  Expression() = default;
  // Throws ExpressionError when it does not make one number, or is too long or too deeply nested to be read.
  explicit Expression(std::string text);

  const std::string& text() const { return text_; }
  // The names it reads, each with the position at which it first stands.
  struct Name {
    std::string name;
    size_t position = 0;
  };
  const std::vector<Name>& names() const { return names_; }

  // Its value where each name has the value that `value_of` gives; may be infinite or NaN (1/0, ln(-1)).
  double evaluate(const std::function<double(const std::string&)>& value_of) const;

 private:
  std::string text_;
  std::vector<Name> names_;
};

}  // namespace atto
