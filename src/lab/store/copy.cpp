// A store as a file of its own, to be sent somewhere.
#include "lab/store/state.h"

namespace atto {

void Store::copy_to(const std::string& path) const {
  State& state = *state_;
  state.guarded([&] {
    SQLite::Statement vacuum(state.database, "VACUUM INTO ?");
    vacuum.bind(1, path);
    vacuum.exec();
  });
}

}  // namespace atto
