#include "network/matrix_names.h"

#include <array>
#include <utility>

#include "base/error.h"
#include "base/names.h"

namespace atto {
namespace {

using Pair = std::pair<std::string_view, std::string_view>;

constexpr std::array kTables{Pair{"W_E", "embedding"}, Pair{"W_in", "input"}, Pair{"W_U", "unembedding"},
                             Pair{"W_pos", "positions"}};
// After "blocks.0." and "layer.0.".
constexpr std::array kOfBlocks{Pair{"attn.W_Q", "query"},    Pair{"attn.W_K", "key"},     Pair{"attn.W_V", "value"},
                               Pair{"attn.W_O", "output"},   Pair{"attn.slope", "slope"}, Pair{"attn.bias", "bias"},
                               Pair{"attn.W_G", "gate"},     Pair{"attn.sink", "sink"},   Pair{"mlp.W_in", "mlp.in"},
                               Pair{"mlp.W_out", "mlp.out"}, Pair{"linear.W", "linear"}};

// Whether `pattern`, in which * stands for any letters, is the whole of `text`.
bool fits(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  std::optional<size_t> star;  // the last one, which has taken the letters up to `taken`
  size_t taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star) {  // it takes one letter more
      p = *star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

}  // namespace

std::string plain_address(std::string_view name) {
  for (const auto& [own, plain] : kTables)
    if (name == own) return std::string(plain);
  constexpr std::string_view kBlocks = "blocks.";
  if (!name.starts_with(kBlocks)) return "";
  const size_t dot = name.find('.', kBlocks.size());
  if (dot == std::string_view::npos) return "";
  for (const auto& [own, plain] : kOfBlocks)
    if (name.substr(dot + 1) == own)
      return "layer." + std::string(name.substr(kBlocks.size(), dot - kBlocks.size())) + "." + std::string(plain);
  return "";
}

std::vector<size_t> matrices_named(const std::string& pattern, std::span<const Matrix> matrices,
                                   const std::string& key) {
  std::vector<size_t> found;
  std::vector<std::string> names;
  for (size_t i = 0; i < matrices.size(); ++i) {
    const std::string plain = plain_address(matrices[i].name);
    if (fits(pattern, matrices[i].name) || (!plain.empty() && fits(pattern, plain))) found.push_back(i);
    names.push_back(matrices[i].name);
    if (!plain.empty()) names.push_back(plain);
  }
  if (!found.empty()) return found;
  std::string all;
  for (const Matrix& matrix : matrices) {
    const std::string plain = plain_address(matrix.name);
    all += (all.empty() ? "" : ", ") + (plain.empty() ? matrix.name : plain);
  }
  throw Error(ErrorKind::config, key + ": this network has no matrix '" + pattern + "'" + did_you_mean(pattern, names),
              all.empty() ? "it has none at all" : "it has " + all + "; * stands for any letters, layer.*.query");
}

void refuse_two_entries(const std::string& key, const std::string& first, const std::string& second,
                        const Matrix& matrix) {
  throw Error(ErrorKind::config, key + ": '" + first + "' and '" + second + "' are both about " + matrix.name,
              "keep one of them; a full name counts before one with *");
}

}  // namespace atto
