// An error of the configuration that Python reports as a KeyError.
#pragma once

#include "base/error.h"

namespace atto {

class UnknownKey : public Error {
 public:
  explicit UnknownKey(const std::string& message, std::string remedy = "")
      : Error(ErrorKind::config, message, std::move(remedy)) {}
};

}  // namespace atto
