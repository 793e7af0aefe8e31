// A Pratt parser: every operator has a power with which it binds what stands next to it.
//
// Operators and functions become calls, so the tree has four kinds of node. Recursion is as deep as the text is long at
// most, and that is limited.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/names.h"
#include "base/number_text.h"
#include "math/expression/syntax.h"

namespace atto {
namespace {

constexpr const char* kShorter = "write a shorter one; a quantity may be made of others, and a fit has several terms";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// How tightly what stands between two operands binds; 0 for what is no operator.
enum Power { kNone, kChoice, kOr, kAnd, kCompare, kAdd, kMultiply, kPrefix, kRaise };

Power power_of(std::string_view sign) {
  if (sign == "?") return kChoice;
  if (sign == "||") return kOr;
  if (sign == "&&") return kAnd;
  for (const char* one : {"<", "<=", ">", ">=", "==", "!="})
    if (sign == one) return kCompare;
  if (sign == "+" || sign == "-") return kAdd;
  if (sign == "*" || sign == "/" || sign == ".*") return kMultiply;
  return sign == "^" ? kRaise : kNone;
}

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) { check_size(); }

  SyntaxTree parse() {
    advance();
    if (kind_ == Token::end) fail_at(0, "the expression is empty");
    expression(kNone);
    if (kind_ != Token::end) misfit();
    return std::move(tree_);
  }

 private:
  enum class Token { end, number, name, sign };

  void check_size() const {
    if (text_.size() > kLongestExpression)
      throw ExpressionError("the expression has " + std::to_string(text_.size()) + " characters; at most " +
                                std::to_string(kLongestExpression) + " are read",
                            kShorter, 0);
    size_t depth = 0;
    for (size_t at = 0; at < text_.size(); ++at) {
      if (text_[at] == '(' && ++depth > kDeepestExpression)
        throw ExpressionError("the expression nests more than " + std::to_string(kDeepestExpression) + " parentheses",
                              kShorter, at);
      if (text_[at] == ')' && depth > 0) --depth;
    }
  }

  [[noreturn]] void fail_at(size_t position, const std::string& message) const {
    throw ExpressionError(message, "write arithmetic over names, such as \"sqrt(data.vocab) * data.context\"",
                          position);
  }
  [[noreturn]] void misfit() const {
    const std::string whole = "cannot read the expression '" + text_ + "'";
    if (kind_ == Token::end)
      fail_at(text_.size(), whole + (open_ > 0 && complete_ ? ": a parenthesis is not closed" : ": it ends too early"));
    fail_at(start_, whole + ": '" + std::string(word_) + "' does not fit at character " + std::to_string(start_ + 1));
  }

  // Reads the next token into kind_, start_ and word_.
  void advance() {
    complete_ = kind_ == Token::number || kind_ == Token::name || word_ == ")" || word_ == "]" || word_ == "'";
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    start_ = at_;
    const auto next = [&](size_t ahead) { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; };
    if (at_ == text_.size()) {
      kind_ = Token::end;
    } else if (is_digit(text_[at_]) || (text_[at_] == '.' && is_digit(next(1)))) {
      kind_ = Token::number;
      read_number();
    } else if (is_letter(text_[at_])) {
      kind_ = Token::name;
      // A dot belongs to the name when the name goes on behind it: in "a.*b" it does not.
      while (is_letter(next(0)) || is_digit(next(0)) || (next(0) == '.' && (is_letter(next(1)) || is_digit(next(1)))))
        ++at_;
    } else {
      kind_ = Token::sign;
      const std::string_view two = std::string_view(text_).substr(at_, 2);
      const bool is_two =
          two == "<=" || two == ">=" || two == "==" || two == "!=" || two == "&&" || two == "||" || two == ".*";
      at_ += is_two ? 2 : 1;
      // The bytes of one character of UTF-8 stay together.
      while (at_ < text_.size() && (static_cast<unsigned char>(text_[at_]) & 0xC0) == 0x80) ++at_;
    }
    word_ = std::string_view(text_).substr(start_, at_ - start_);
  }

  void read_number() {
    const char* end = text_.data() + text_.size();
    const auto [stop, fault] = atto::read_number(text_.data() + at_, end, number_);
    at_ = static_cast<size_t>(stop - text_.data());
    if (fault != std::errc())
      fail_at(start_, "'" + text_.substr(start_, at_ - start_) + "' is beyond what a number can hold");
  }

  bool is_sign(std::string_view sign) const { return kind_ == Token::sign && word_ == sign; }
  bool accept(std::string_view sign) {
    if (!is_sign(sign)) return false;
    advance();
    return true;
  }
  void expect(std::string_view sign) {
    if (!accept(sign)) misfit();
  }

  size_t add(SyntaxNode node) {
    tree_.nodes.push_back(std::move(node));
    return tree_.nodes.size() - 1;
  }
  size_t call(size_t position, const Function& function, std::vector<size_t> arguments) {
    return add({SyntaxNode::Kind::call, position, std::move(arguments), 0, 0, &function, {}});
  }
  size_t call(size_t position, std::string_view sign, std::vector<size_t> arguments) {
    return call(position, *find_function(operators(), sign), std::move(arguments));
  }

  // Everything that binds more tightly than `least`.
  size_t expression(Power least) {
    size_t left = operand();
    for (;;) {
      const Power power = kind_ == Token::sign ? power_of(word_) : kNone;
      if (power <= least) return left;
      const size_t position = start_;
      const std::string_view sign = word_;
      advance();
      if (power == kChoice) {
        const size_t yes = expression(kNone);
        expect(":");
        left = call(position, "?", {left, yes, expression(kNone)});
        continue;
      }
      // Powers group from the right: 2^3^2 is 2^9.
      const size_t right = expression(power == kRaise ? kPrefix : power);
      left = call(position, sign, {left, right});
      if (power == kCompare && kind_ == Token::sign && power_of(word_) == kCompare)
        fail_at(start_, "'" + std::string(word_) + "' follows another comparison; write (a < b) && (b < c)");
    }
  }

  size_t operand() {
    const size_t position = start_;
    if (accept("-")) return call(position, "negative", {expression(kMultiply)});
    if (accept("+")) return expression(kMultiply);
    if (accept("!")) return call(position, "!", {expression(kMultiply)});
    size_t value = 0;
    if (accept("(")) {
      ++open_;
      value = expression(kNone);
      expect(")");
      --open_;
    } else if (kind_ == Token::number) {
      value = add({SyntaxNode::Kind::number, position, {}, number_, 0, nullptr, {}});
      advance();
    } else if (kind_ == Token::name) {
      value = named();
    } else {
      misfit();
    }
    return postfix(value);
  }

  size_t postfix(size_t value) {
    for (;;) {
      const size_t position = start_;
      if (accept("'")) value = call(position, *find_function(functions(), "transpose"), {value});
      else if (accept("[")) value = index(position, value);
      else return value;
    }
  }

  size_t named() {
    const size_t position = start_;
    const std::string name(word_);
    advance();
    if (is_sign("(")) return function_call(position, name);
    if (name == "_pi" || name == "_e")
      return add(
          {SyntaxNode::Kind::number, position, {}, name == "_e" ? std::numbers::e : std::numbers::pi, 0, nullptr, {}});
    const auto found = std::find_if(tree_.names.begin(), tree_.names.end(),
                                    [&](const Expression::Name& one) { return one.name == name; });
    const auto place = static_cast<size_t>(found - tree_.names.begin());
    if (found == tree_.names.end()) tree_.names.push_back({name, position});
    return add({SyntaxNode::Kind::name, position, {}, 0, place, nullptr, {}});
  }

  size_t function_call(size_t position, const std::string& name) {
    const Function* function = find_function(functions(), name);
    if (!function) {
      std::vector<std::string> known;
      for (const Function& one : functions()) known.emplace_back(one.name());
      throw ExpressionError("unknown function '" + name + "'" + did_you_mean(name, known),
                            "`atto help expressions` lists the functions", position);
    }
    expect("(");
    ++open_;
    std::vector<size_t> arguments;
    if (!is_sign(")")) {
      do arguments.push_back(expression(kNone));
      while (accept(","));
    }
    expect(")");
    --open_;
    if (arguments.size() < function->fewest || arguments.size() > function->most) {
      const bool any = function->most == kAnyNumber;
      throw ExpressionError(name + " takes " + (any ? "at least " : "") + std::to_string(function->fewest) +
                                (function->fewest == 1 ? " argument" : " arguments") + ", found " +
                                std::to_string(arguments.size()),
                            "write " + std::string(function->usage), position);
    }
    return call(position, *function, std::move(arguments));
  }

  // [2]   [-1]   [1, 2]   [0:3]   [:, 0]
  size_t index(size_t position, size_t value) {
    ++open_;
    SyntaxNode node{SyntaxNode::Kind::index, position, {value}, 0, 0, nullptr, {}};
    do {
      IndexPart part;
      if (!is_sign(":")) part.first = whole_number();
      if (accept(":")) {
        part.range = true;
        if (!is_sign("]") && !is_sign(",")) part.last = whole_number();
      }
      node.parts.push_back(part);
    } while (accept(","));
    expect("]");
    --open_;
    return add(std::move(node));
  }

  int64_t whole_number() {
    const bool negative = accept("-");
    if (kind_ != Token::number) misfit();
    if (number_ != std::floor(number_) || number_ > 1e15)
      fail_at(start_, "an index is a whole number, found '" + std::string(word_) + "'");
    const auto whole = static_cast<int64_t>(number_);
    advance();
    return negative ? -whole : whole;
  }

  const std::string& text_;
  SyntaxTree tree_;
  size_t at_ = 0;     // behind the token
  size_t start_ = 0;  // of the token
  Token kind_ = Token::sign;
  std::string_view word_;
  double number_ = 0;
  size_t open_ = 0;        // parentheses and brackets
  bool complete_ = false;  // did an operand end before the token?
};

}  // namespace

SyntaxTree parse_expression(const std::string& text) { return Parser(text).parse(); }

}  // namespace atto
