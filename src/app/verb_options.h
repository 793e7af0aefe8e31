// The options of a verb, as its file describes them. Hides the argument parser, a large header.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/options.h"

namespace CLI {
class App;
}

namespace atto {

class VerbOptions {
 public:
  // Both must live as long as the parser.
  VerbOptions(CLI::App& verb, Options& options) : verb_(verb), options_(options) {}
  Options& target() { return options_; }

  // The words after the verb, named `word` in its help.
  VerbOptions& names(const std::string& word, const std::string& help);
  VerbOptions& flag(const std::string& name, bool& target, const std::string& help);
  // `type` names the value in the help: "PATH".
  VerbOptions& text(const std::string& name, std::string& target, const std::string& type, const std::string& help);
  // Also an empty text counts as given.
  VerbOptions& text(const std::string& name, std::optional<std::string>& target, const std::string& type,
                    const std::string& help);
  VerbOptions& required(const std::string& name, std::string& target, const std::string& type, const std::string& help);
  // Its help shows the default, `target` as it is.
  VerbOptions& preset(const std::string& name, std::string& target, const std::string& type, const std::string& help);
  template <Worded Enum>
  VerbOptions& choice(const std::string& name, Enum& target, const std::string& help) {
    return choice(
        name, words_of<Enum>(), to_word(target), [&target](const std::string& word) { target = from_word<Enum>(word); },
        help);
  }
  VerbOptions& list(const std::string& name, std::vector<std::string>& target, const std::string& type,
                    const std::string& help);  // may be repeated
  VerbOptions& whole(const std::string& name, int& target, int low, int high, const std::string& help);
  VerbOptions& number(const std::string& name, double& target, double low, double high, const std::string& help);

  // What every verb takes, also one that has no use for it: a script can pass the same words to all of them.
  VerbOptions& shared();
  // What picks the runs of a study; `show` and `export` need the same words as `run` to find them again.
  VerbOptions& study();
  VerbOptions& setting();  // of these, the profile and changed settings alone
  // An option of other verbs that this one has no use for: the message says why. Its help does not list it.
  VerbOptions& refused(const std::string& name, const std::string& why, const std::string& remedy);
  // How the runs are trained; results do not depend on it.
  VerbOptions& threads();
  VerbOptions& training();  // with what only those verbs have that train and end
  VerbOptions& observables(const std::string& help);

 private:
  VerbOptions& choice(const std::string& name, const std::vector<std::string>& words, const std::string& initial,
                      const std::function<void(const std::string&)>& assign, const std::string& help);

  CLI::App& verb_;
  Options& options_;
};

}  // namespace atto
