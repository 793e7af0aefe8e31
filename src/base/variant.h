// A std::variant that can be copied while memory is short.
#pragma once

#include <variant>

namespace atto {

// libstdc++ takes a variant of nothing but texts, functions, pointers and plain values for one that always has a value.
// A copy that is being constructed has none yet: when the copy of the text or function throws, the destructor of the
// storage visits a value that is not there. Here a copy begins with the first alternative, which must not throw, and is
// assigned: assignment makes the new value aside and moves it in.
template <typename... Kinds>
class Variant : public std::variant<Kinds...> {
 public:
  using Base = std::variant<Kinds...>;
  static_assert(std::is_nothrow_default_constructible_v<Base> && std::is_nothrow_move_constructible_v<Base>);

  using Base::Base;
  using Base::operator=;
  Variant() noexcept = default;
  Variant(const Variant& other) : Base() { Base::operator=(other); }
  Variant(Variant&&) noexcept = default;
  Variant& operator=(const Variant&) = default;
  Variant& operator=(Variant&&) noexcept = default;
  ~Variant() = default;
};

}  // namespace atto
