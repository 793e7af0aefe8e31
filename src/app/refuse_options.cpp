#include "app/refuse_options.h"

#include "base/contains.h"
#include "base/error.h"

namespace atto {

void refuse_options(const Options& options, const std::vector<std::string>& names, const std::string& why,
                    const std::string& remedy) {
  for (const std::string& name : names)
    if (contains(options.given, name)) throw Error(ErrorKind::usage, name + " has no effect " + why, remedy);
}

}  // namespace atto
