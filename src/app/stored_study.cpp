#include "app/stored_study.h"

#include <sstream>
#include <vector>

#include "app/studies.h"
#include "app/terminal/text.h"
#include "base/error.h"
#include "spec/run_config.h"

namespace atto {
namespace {

constexpr const char* kExplore = "explore";

bool is_option(const std::string& key) {
  return key == "seeds" || key == "until" || key == "most" || key == "refine" || key == kExplore;
}

// "full", "data.vocab=4", "explore=contour plateau.present": a value may hold spaces, so a word that begins nothing
// belongs to the one before.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  std::istringstream words(name);
  for (std::string word; std::getline(words, word, ' ');) {
    const std::string key = word.substr(0, word.find('='));
    const bool begins = key.size() < word.size() && (is_option(key) || run_schema().find(key) != nullptr);
    if (parts.empty() || begins) parts.push_back(word);
    else parts.back() += " " + word;
  }
  return parts;
}

}  // namespace

StoredVariant read_variant(const std::string& name) {
  StoredVariant variant;
  const std::vector<std::string> parts = parts_of(name);
  if (parts.empty()) return variant;
  if (parts.front() != Options().study.profile) variant.options = " --profile " + shell_word(parts.front());
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    const std::string key = parts[i].substr(0, equals), value = parts[i].substr(equals + 1);
    if (key == "refine") {
      variant.refine = value;
    } else if (key == kExplore) {
      const size_t space = value.find(' ');
      variant.aim = from_word<Aim>(value.substr(0, space));
      if (space != std::string::npos) variant.quantity = value.substr(space + 1);
    } else if (is_option(key)) {
      variant.options += " --" + key + " " + shell_word(value);
    } else {
      variant.options += " --set " + shell_word(parts[i]);
    }
  }
  return variant;
}

bool is_known_study(const std::string& name, const Options& options) {
  try {
    study_path(name, options);
    return true;
  } catch (const Error&) {  // nor is it without a folder of studies
    return false;
  }
}

std::string stored_study_command(const std::string& verb, const std::string& study, const std::string& its_options,
                                 const Options& options) {
  const bool known = is_known_study(study, options);
  return options.program + " " + verb + " " + (known ? shell_word(study) : "FILE.toml") + its_options +
         shared_options_text(options) + (known ? "" : "   (FILE.toml: the file of study '" + study + "')");
}

}  // namespace atto
