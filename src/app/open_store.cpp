#include "app/open_store.h"

#include <iostream>

namespace atto {

Store open_store_aloud(const std::string& path, Store::Mode mode) {
  Store store(path, mode);
  for (const std::string& notice : store.notices()) std::cerr << "note: " << notice << "\n";
  return store;
}

}  // namespace atto
