// The keys of a [[figure]], described once: the same list reads them from a study's file and explains them in
// `atto help figures`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/study/toml_reader.h"
#include "math/expression/expression.h"
#include "phenomena/claims/claim.h"

namespace atto {

// Which cells share a panel: those that agree in these keys, or those that match a filter; one panel without either.
struct Panels {
  std::vector<std::string> keys;
  std::vector<CellFilter> filters;
};

// A level that theory gives, in each cell: an expression over the keys of a run and `best_loss`, the lowest loss the
// task allows.
struct ReferenceLine {
  std::string label;
  Expression level;
};

// How numbers are laid along an axis or a ramp of colours.
enum class Scale { linear, log };
template <>
struct EnumWords<Scale> {
  static constexpr std::array words{"linear", "log"};
};

class FigureSettings {
 public:
  struct Setting {
    std::string key, allowed, initial, help;  // `initial` is the default in words
    std::function<void(TomlReader&, const TomlNode&)> read;
  };

  // One kind of a closed set.
  template <Worded Enum>
  FigureSettings& choice(const std::string& key, Enum& target, const std::string& help) {
    return add_field(Fields().choice(key, target, help).at(key));
  }
  FigureSettings& integer(const std::string& key, int64_t& target, double low, double high, const std::string& help);
  // A number, whole or not, or none where the study does not say.
  FigureSettings& integer(const std::string& key, std::optional<int64_t>& target, double low, double high,
                          const std::string& help);
  FigureSettings& number(const std::string& key, std::optional<double>& target, const std::string& help);
  FigureSettings& flag(const std::string& key, bool& target, const std::string& help);
  // "loss" or ["loss", "accuracy"]: texts that the study gives a meaning to (addresses, names of fits, quantities).
  FigureSettings& texts(const std::string& key, std::vector<std::string>& target, const std::string& help);
  FigureSettings& text(const std::string& key, std::string& target, const std::string& help);
  // One of a run's keys: "data.vocab".
  FigureSettings& run_key(const std::string& key, std::string& target, const std::string& help);
  // "data.vocab", ["data.vocab", "network.width"], or a list of tables { data.vocab = 4 }, one panel each.
  FigureSettings& panels(const std::string& key, Panels& target, const std::string& help);
  // { training.optimizer = "flow" }: the cells in which these keys have these values.
  FigureSettings& filter(const std::string& key, CellFilter& target, const std::string& help);
  // { "V/2" = "data.vocab / 2" }
  FigureSettings& lines(const std::string& key, std::vector<ReferenceLine>& target, const std::string& help);
  FigureSettings& steps(const std::string& key, std::vector<int64_t>& target, const std::string& help);

  const std::vector<Setting>& all() const { return settings_; }
  // Sets every one that the table mentions; the rest keep their defaults.
  void read(TomlReader& reader) const;

 private:
  FigureSettings& add_field(const Field& field);
  std::vector<Setting> settings_;
};

}  // namespace atto
