// The stores of tests/stores: what each holds, as sqlite3 read it on the day it was made.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "lab/results/json.h"
#include "lab/store/store.h"
#include "places.h"

namespace atto {

inline const std::filesystem::path kOldStores = in_source("tests/stores");

inline std::string old_store_name(int64_t format, int64_t engine) {
  return "format" + std::to_string(format) + "-engine" + std::to_string(engine);
}

// Every pair that a program has written.
inline std::set<std::string> old_store_names() {
  std::set<std::string> names = {old_store_name(kStoreFormat, kEngineRevision)};
  for (const auto& [format, engine] : {std::pair(1, 1), {1, 2}, {2, 2}, {2, 3}, {2, 4}, {2, 5}, {3, 5}})
    names.insert(old_store_name(format, engine));
  return names;
}

inline std::filesystem::path old_store_file(const std::string& name) { return kOldStores / (name + ".db"); }

// The rows of its tables: tests/stores/expected.py says how they were read.
inline Json old_store_rows(const std::string& name) {
  std::ifstream file(kOldStores / (name + ".json"));
  return Json::parse(file);
}

inline int64_t engine_of(const Json& expected) { return expected.at("runs").at(0).at("engine_revision"); }

// A blob that is printed as hexadecimal digits.
template <typename Number>
std::vector<Number> numbers_of(const Json& digits) {
  const auto text = digits.get<std::string>();
  std::string bytes;
  for (size_t at = 0; at + 1 < text.size(); at += 2)
    bytes += static_cast<char>(std::stoi(text.substr(at, 2), nullptr, 16));
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
  return numbers;
}

template <typename Number>
std::optional<Number> maybe(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<Number>());
}

inline Recording recording_of(const Json& run) {
  Recording recording;
  recording.steps_done = run.at("steps_done");
  recording.diverged_at = maybe<int64_t>(run.at("diverged_at"));
  recording.stopped_early = run.at("stopped_early") == 1;
  recording.best_loss = maybe<double>(run.at("best_loss"));
  for (const Json& row : run.at("series")) {
    Series& series = recording.series.emplace_back();
    series.address = row.at("address");
    series.shape = Json::parse(row.at("shape").get<std::string>()).get<std::vector<int64_t>>();
    series.steps = numbers_of<int64_t>(row.at("steps"));
    if (row.at("dtype") == "<f8") {
      series.values = numbers_of<double>(row.at("data"));
    } else {
      const auto single = numbers_of<float>(row.at("data"));
      series.values.assign(single.begin(), single.end());
    }
  }
  for (const Json& row : run.at("weights")) {
    const Json shape = Json::parse(row.at("shape").get<std::string>());
    recording.weights.push_back({row.at("name"), shape.at(0), shape.at(1), numbers_of<float>(row.at("data"))});
  }
  return recording;
}

inline Checkpoint checkpoint_of(const Json& row) {
  return {{row.at("step"), row.at("calm_steps"), numbers_of<float>(row.at("parameters")),
           numbers_of<float>(row.at("optimizer")), numbers_of<double>(row.at("extra"))},
          numbers_of<double>(row.at("measured"))};
}

}  // namespace atto
