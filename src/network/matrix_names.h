// The names a study may call a weight matrix by: the field's name, "blocks.0.attn.W_Q", which exports use, and the
// plain address of observables, "layer.0.query". In either, * stands for any letters: "layer.*.query".
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "network/matrix.h"

namespace atto {

// "layer.0.query" for "blocks.0.attn.W_Q"; "" where there is no plainer one than the name.
std::string plain_address(std::string_view name);

// Which of the matrices `pattern` names. Error(config) with the nearest name where there is none; `key` is the setting
// that has it.
std::vector<size_t> matrices_named(const std::string& pattern, std::span<const Matrix> matrices,
                                   const std::string& key);

// The entry of a table by names for each matrix, nullptr where it has none. A full name counts before a pattern with *;
// two entries of one kind for the same matrix are an error.
template <class T>
std::vector<const T*> entries_by_matrix(const std::map<std::string, T>& table, std::span<const Matrix> matrices,
                                        const std::string& key);

// Error(config): two entries of the table `key` are about one matrix.
[[noreturn]] void refuse_two_entries(const std::string& key, const std::string& first, const std::string& second,
                                     const Matrix& matrix);

template <class T>
std::vector<const T*> entries_by_matrix(const std::map<std::string, T>& table, std::span<const Matrix> matrices,
                                        const std::string& key) {
  std::vector<const T*> found(matrices.size(), nullptr);
  for (const bool pattern : {true, false}) {  // full names last, over what patterns said
    std::vector<const std::string*> before(matrices.size(), nullptr);
    for (const auto& [name, value] : table) {
      if ((name.find('*') != std::string::npos) != pattern) continue;
      for (const size_t i : matrices_named(name, matrices, key)) {
        if (before[i] != nullptr) refuse_two_entries(key, *before[i], name, matrices[i]);
        before[i] = &name;
        found[i] = &value;
      }
    }
  }
  return found;
}

}  // namespace atto
