#include "lab/study/write_toml.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "lab/study/own_parts.h"

namespace atto {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      out += escape.data();
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <class T, class Text>
std::string list(const std::vector<T>& items, Text text) {
  std::string out;
  for (const T& item : items) out += (out.empty() ? "" : ", ") + text(item);
  return "[" + out + "]";
}

std::string toml_value(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
  if (const auto* items = std::get_if<ValueList>(&value)) return list(items->items, toml_value);
  const auto* table = std::get_if<ValueTable>(&value);
  if (!table) return to_text(value);
  std::string out;
  for (const auto& [key, entry] : table->entries)
    out += (out.empty() ? "" : ", ") + quoted(key) + " = " + toml_value(entry);
  return "{ " + out + " }";
}

std::string line(const std::string& key, const std::string& value) { return key + " = " + value + "\n"; }

// Seeds have a table of their own.
bool is_setting(const RunField& field) { return !field.key.starts_with("seeds."); }

// "[data]\nvocab = 4\n…": what is not a default.
std::string base_text(const RunConfig& config, const std::set<std::string>& swept) {
  const RunConfig defaults;
  std::string out, table;
  for (const RunField& field : run_schema().all()) {
    const std::string& key = field.key;
    if (!is_setting(field) || swept.contains(key) || field.get(config) == field.get(defaults)) continue;
    const size_t dot = key.find('.');
    if (key.substr(0, dot) != table) {
      table = key.substr(0, dot);
      out += "\n[" + table + "]\n";
    }
    out += line(key.substr(dot + 1), toml_value(field.get(config)));
  }
  return out;
}

// "{ data.vocab = 4, network.width = 2 }"
std::string cell_table(const RunConfig& config, const std::set<std::string>& swept) {
  std::string out;
  for (const RunField& field : run_schema().all())
    if (swept.contains(field.key)) out += (out.empty() ? "" : ", ") + field.key + " = " + toml_value(field.get(config));
  return "{ " + out + " }";
}

std::string observe_text(const Observation& one) {
  std::string out = "\n[[observe]]\n" + line("what", list(one.what, quoted));
  for (const auto& [key, count] :
       {std::pair("every", one.when.every), {"linear", one.when.linear}, {"log", one.when.log}})
    if (count > 0) out += line(key, std::to_string(count));
  if (!one.when.at.empty()) out += line("at", list(one.when.at, [](int64_t step) { return std::to_string(step); }));
  return out;
}

std::string seeds_text(const SeedPlan& plan, const std::vector<Cell>& cells, const std::set<std::string>& swept) {
  const int64_t count = cells.front().seeds;
  std::string out = "\n[seeds]\n" + line("count", std::to_string(count));
  const SeedPlan defaults;
  if (plan.first != defaults.first) out += line("first", std::to_string(plan.first));
  if (plan.vary != defaults.vary) out += line("vary", quoted(to_word(plan.vary)));
  for (const Cell& cell : cells)
    if (cell.seeds != count)
      out += "\n[[seeds.exceptions]]\n" + line("where", cell_table(cell.config, swept)) +
             line("count", std::to_string(cell.seeds));
  return out;
}

}  // namespace

bool stands_alone(const Study& study, const std::vector<Cell>& cells) {
  const auto reads_file = [](const Cell& cell) { return !cell.config.data.file.empty(); };
  const bool brought = study.parts && !(study.parts->arrays.empty() && study.parts->tasks.empty() &&
                                        study.parts->observables.empty() && study.parts->detectors.empty());
  if (cells.empty() || brought || std::any_of(cells.begin(), cells.end(), reads_file)) return false;
  // `--set training.steps=200` may leave planned steps after the end of every run, which no file may name.
  int64_t longest = 0;
  for (const Cell& cell : cells) longest = std::max(longest, cell.config.training.steps);
  return std::none_of(study.observe.begin(), study.observe.end(), [&](const Observation& one) {
    return std::any_of(one.when.at.begin(), one.when.at.end(), [&](int64_t step) { return step > longest; });
  });
}

std::string study_toml(const Study& study, const std::vector<Cell>& cells) {
  std::string out = line("title", quoted(study.title.empty() ? study.name : study.title));
  if (!study.source.empty()) out += line("source", quoted(study.source));
  if (!study.summary.empty()) out += line("summary", quoted(study.summary));
  std::set<std::string> swept;
  if (cells.size() > 1)
    for (const RunField& field : run_schema().all())
      if (is_setting(field) && std::any_of(cells.begin(), cells.end(), [&](const Cell& cell) {
            return field.get(cell.config) != field.get(cells.front().config);
          }))
        swept.insert(field.key);
  out += base_text(cells.front().config, swept);
  if (cells.size() > 1) {
    out += "\n[sweep]\ncells = [\n";
    for (const Cell& cell : cells) out += "  " + cell_table(cell.config, swept) + ",\n";
    out += "]\n";
  }
  out += seeds_text(study.seeds, cells, swept);
  for (const Observation& one : study.observe) out += observe_text(one);
  for (const DerivedQuantity& one : study.quantities)
    out += "\n[[quantity]]\n" + line("name", quoted(one.name)) + line("is", quoted(one.expression.text()));
  for (const Phenomenon& one : study.phenomena) {
    out += "\n[[phenomenon]]\n" + line("name", quoted(one.name)) + line("detector", quoted(one.detector_name));
    for (const auto& [key, value] : one.settings) out += line(key, toml_value(value));
  }
  return out;
}

}  // namespace atto
