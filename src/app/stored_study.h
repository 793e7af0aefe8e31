// Commands about studies that a store names: it knows how they were run, not where their files are.
#pragma once

#include <optional>
#include <string>

#include "app/options.h"

namespace atto {

// The name that variant_name() made of a profile and of options, and what `atto explore` adds to it.
struct StoredVariant {
  std::string options;     // " --profile full --set data.vocab=4 --seeds 8"; "" by default
  std::string refine;      // how often the gaps of the grid were halved; empty: they were not
  std::optional<Aim> aim;  // of an exploration
  std::string quantity;    // that it was after, such as "plateau.present"
};
StoredVariant read_variant(const std::string& name);

// Is there a study of that name where studies are looked up?
bool is_known_study(const std::string& name, const Options& options);

// "atto show small --seeds 8 --store x.db" for the verb `show`. A study that is not known by its name is called
// FILE.toml, which is explained behind the command.
std::string stored_study_command(const std::string& verb, const std::string& study, const std::string& its_options,
                                 const Options& options);

}  // namespace atto
