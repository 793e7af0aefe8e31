// One block of zeroed, vector-aligned memory, sized once; nothing is allocated while a run trains.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>

namespace atto {

inline constexpr size_t kAlignment = 64;  // bytes of the widest vector and of a cache line

template <class T>
class Arena {
 public:
  Arena() = default;
  explicit Arena(size_t count) : count_(count) {
    if (count == 0) return;
    data_.reset(static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kAlignment})));
    clear();
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  size_t size() const { return count_; }
  std::span<T> span() { return {data(), count_}; }
  std::span<const T> span() const { return {data(), count_}; }
  void clear() {
    if (count_ > 0) std::memset(data_.get(), 0, count_ * sizeof(T));
  }

 private:
  struct Free {
    void operator()(T* memory) const { ::operator delete (memory, std::align_val_t{kAlignment}); }
  };
  std::unique_ptr<T, Free> data_;
  size_t count_ = 0;
};

}  // namespace atto
