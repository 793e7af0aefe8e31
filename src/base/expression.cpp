#include "base/expression.h"

#include <muParser.h>

#include <algorithm>

#include "base/fields.h"
#include "base/names.h"

namespace atto {
namespace {

constexpr const char* kNameCharacters = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.";

// The parser refuses 5,000 characters, in a way of its own, and recursion grows with the nesting. Nobody reads half as
// much, so what is longer is refused here, where it can be said well.
void check_size(const std::string& text) {
  constexpr const char* kRemedy = "write a shorter one; a sum of logarithms is several terms of a fit";
  if (text.size() > kLongestExpression)
    throw ExpressionError("the expression has " + std::to_string(text.size()) + " characters; at most " +
                              std::to_string(kLongestExpression) + " are read",
                          kRemedy, 0);
  size_t depth = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(' && ++depth > kDeepestExpression)
      throw ExpressionError("the expression nests more than " + std::to_string(kDeepestExpression) + " parentheses",
                            kRemedy, at);
    if (text[at] == ')' && depth > 0) --depth;
  }
}

mu::Parser parser_of(const std::string& text) {
  mu::Parser parser;
  parser.DefineNameChars(kNameCharacters);
  parser.SetExpr(text);
  return parser;
}

// Where the whole word `name` first stands.
size_t position_of(const std::string& name, const std::string& text) {
  const std::string_view letters = kNameCharacters;
  const auto is_letter = [&](size_t at) {
    return at < text.size() && letters.find(text[at]) != std::string_view::npos;
  };
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1))
    if ((at == 0 || !is_letter(at - 1)) && !is_letter(at + name.size())) return at;
  return 0;
}

// The parser takes an unknown function for a variable and stumbles over its parenthesis.
std::string unknown_function(const mu::Parser& parser, const std::string& text, size_t parenthesis) {
  const size_t before = text.find_last_not_of(kNameCharacters, parenthesis == 0 ? 0 : parenthesis - 1);
  const size_t start = before == std::string::npos ? 0 : before + 1;
  return start < parenthesis && parser.GetFunDef().count(text.substr(start, parenthesis - start)) == 0
             ? text.substr(start, parenthesis - start)
             : "";
}

[[noreturn]] void refuse(const mu::Parser& parser, const mu::Parser::exception_type& fault, const std::string& text) {
  const size_t position = fault.GetPos() < 0 ? 0 : std::min(static_cast<size_t>(fault.GetPos()), text.size());
  const std::string& token = fault.GetToken();
  if (token == "(" && position > 0) {
    if (const std::string name = unknown_function(parser, text, position); !name.empty()) {
      std::vector<std::string> known;
      for (const auto& [function, callback] : parser.GetFunDef()) known.push_back(function);
      const std::string near = nearest_name(name, known);
      throw ExpressionError("unknown function '" + name + "'" + (near.empty() ? "" : "; did you mean '" + near + "'?"),
                            "functions are sqrt, exp, ln, log2, log10, abs, min, max and the like",
                            position - name.size());
    }
  }
  std::string message = "cannot read the expression '" + text + "'";
  if (text.find_first_not_of(" \t\n") == std::string::npos) message = "the expression is empty";
  else if (fault.GetCode() == mu::ecUNEXPECTED_EOF) message += ": it ends too early";
  else if (fault.GetCode() == mu::ecMISSING_PARENS) message += ": a parenthesis is not closed";
  else if (!token.empty())
    message += ": '" + token.substr(0, token.find(' ')) + "' does not fit at character " + std::to_string(position + 1);
  throw ExpressionError(message, "write arithmetic over keys of a run, such as \"sqrt(data.vocab) * data.context\"",
                        position);
}

}  // namespace

Expression::Expression(std::string text) : text_(std::move(text)) {
  check_size(text_);
  mu::Parser parser = parser_of(text_);
  try {
    const auto used = parser.GetUsedVar();  // a copy: defining a constant rebuilds the list
    for (const auto& [name, place] : used) {
      names_.push_back({name, position_of(name, text_)});
      parser.DefineConst(name, 1);  // constants, because "a = 2" would assign to variables
    }
    int results = 0;
    parser.Eval(results);
    if (results != 1)
      throw ExpressionError("the expression '" + text_ + "' makes " + std::to_string(results) + " numbers",
                            "write one expression for each term", text_.find(','));
  } catch (const mu::Parser::exception_type& fault) {
    refuse(parser, fault, text_);
  }
  std::sort(names_.begin(), names_.end(), [](const Name& a, const Name& b) { return a.position < b.position; });
}

double Expression::evaluate(const std::function<double(const std::string&)>& value_of) const {
  mu::Parser parser = parser_of(text_);
  for (const Name& name : names_) parser.DefineConst(name.name, value_of(name.name));
  return parser.Eval();
}

}  // namespace atto
