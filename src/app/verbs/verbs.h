// The verbs, one file each; registry.cpp lists them.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
#include "app/verb_options.h"

namespace atto {

struct Verb {
  const char* help;                // in a line
  const char* footer;              // under its options: examples; or ""
  bool several = false;            // it takes several names
  bool needs_name = false;         // and at least one
  bool takes_job = false;          // which is the folder of a job, and not a study
  void (*describe)(VerbOptions&);  // adds its options
  int (*perform)(const Options&);  // returns the exit code; throws Error for what people should hear of
};

struct NamedVerb {
  std::string name;
  Verb verb;
};

const std::vector<NamedVerb>& all_verbs();  // in the order of the help
const Verb* find_verb(const std::string& name);
std::vector<std::string> verb_names();

int print_version();

}  // namespace atto
