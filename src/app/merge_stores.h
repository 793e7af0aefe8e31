// Many stores brought into one, as the verbs that do so need it.
#pragma once

#include <cstddef>
#include <functional>

#include "lab/store/store.h"

namespace atto {

// Merges so many stores, as many together as may well be open at once; `open` opens one by its number. Not whole where
// the user stopped it.
MergeCount merge_stores(Store& into, size_t count, const std::function<Store(size_t)>& open);

}  // namespace atto
