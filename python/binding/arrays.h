// NumPy arrays that own what they show.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <utility>
#include <vector>

namespace atto::python {

// The vector becomes the memory of an array of this shape; nothing is copied.
template <class T>
nanobind::object array_of(std::vector<T> values, const std::vector<size_t>& shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  const nanobind::capsule owner(owned.release(),
                                [](void* memory) noexcept { delete static_cast<std::vector<T>*>(memory); });
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, T>(data, shape.size(), shape.data(), owner));
}

}  // namespace atto::python
