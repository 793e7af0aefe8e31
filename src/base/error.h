// Typed errors. The core throws them, only `app` prints them.
//
// A message says what is wrong and where; `remedy` says what to do about it. The kind decides the exit code
// (docs/cli.md).
#pragma once

#include <stdexcept>
#include <string>

namespace atto {

enum class ErrorKind {
  usage,      // the command line is wrong
  config,     // a study or a setting is wrong
  missing,    // a named file, study or run does not exist or cannot be read
  store,      // the store is not writable, corrupt, of another version or in use
  resources,  // the machine: memory or disk do not suffice, a file cannot be written, a port is taken
  internal,   // a broken promise of our own
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string remedy = "")
      : std::runtime_error(message), kind_(kind), remedy_(std::move(remedy)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& remedy() const { return remedy_; }

 private:
  ErrorKind kind_;
  std::string remedy_;
};

}  // namespace atto
