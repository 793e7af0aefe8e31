// Where a claim comes from, and how near to the publication it is tested. Neither is part of what is asked: the verdict
// is computed without them, and only the words for it depend on them.
#pragma once

#include <array>
#include <optional>

#include "base/words.h"

namespace atto {

// A statement of a publication, a number or shape read off one of its figures, or a question of the lab.
enum class Origin { published, figure, ours };
template <>
struct EnumWords<Origin> {
  static constexpr std::array words{"published", "figure", "ours"};
};

// The sizes and the recipe of the publication; its sizes with a recipe that it does not state in full; smaller sizes.
enum class Scope { published, recipe, scaled };
template <>
struct EnumWords<Scope> {
  static constexpr std::array words{"published", "recipe", "scaled"};
};

struct Provenance {
  Origin origin = Origin::ours;
  std::optional<Scope> scope = {};  // nothing for the lab's own: there is no published size to be near to

  bool operator==(const Provenance&) const = default;
};

// "published", "read off a figure", "the lab's own".
const char* phrase(Origin origin);
// "published size and recipe", "published size, recipe guessed", "scaled down".
const char* phrase(Scope scope);

}  // namespace atto
