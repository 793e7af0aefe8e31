// atto prune: drops what nothing will read again, after asking.
#include <unistd.h>

#include <iostream>

#include "app/open_store.h"
#include "app/terminal/text.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "lab/results/json.h"
#include "lab/store/store.h"

namespace atto {
namespace {

constexpr const char* kPruneFooter = R"(Examples
  atto prune                                       says what would go, and asks
  atto prune --yes                                 does not ask

Runs of another engine revision are not read: their study trains them again. A checkpoint is given up when it is of
another revision, or when no study asks for its run any more.)";

void describe_prune(VerbOptions& options) { options.flag("--yes", options.target().yes, "do it without asking"); }

bool agreed(const std::string& question) {
  std::cout << question << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "yes";
}

Json outdated_json(const Store::Outdated& found, bool dropped, const Options& options) {
  return {{"store", options.store},
          {"runs", found.runs},
          {"checkpoints", found.checkpoints},
          {"bytes", found.bytes},
          {"dropped", dropped}};
}

int prune(const Options& options) {
  const Store::Outdated found = open_store_aloud(options.store, Store::Mode::read).outdated();
  const bool any = found.runs > 0 || found.checkpoints > 0;
  const std::string what = count_text(found.runs, "run") + " of another engine revision and " +
                           count_text(found.checkpoints, "abandoned checkpoint") + ", " +
                           bytes_text(static_cast<uint64_t>(found.bytes));
  if (!options.json) std::cout << options.store << ": " << (any ? what : "nothing to drop") << "\n";
  if (any && !options.yes && (options.json || isatty(STDIN_FILENO) == 0)) {
    if (options.json) std::cout << json_text(outdated_json(found, false, options));
    throw Error(ErrorKind::usage, "prune asks before it drops anything, and nobody is there to answer",
                "add --yes to drop " + what);
  }
  const bool dropped = any && (options.yes || agreed("Drop them?"));
  if (dropped) open_store_aloud(options.store, Store::Mode::write).prune();
  if (options.json) std::cout << json_text(outdated_json(found, dropped, options));
  else if (any) std::cout << (dropped ? "dropped\n" : "kept\n");
  return 0;
}

}  // namespace

Verb prune_verb() {
  return {.help = "Drop runs of other engine revisions and abandoned checkpoints, after asking",
          .footer = kPruneFooter,
          .describe = describe_prune,
          .perform = prune};
}

}  // namespace atto
