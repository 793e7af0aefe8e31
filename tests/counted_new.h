// Counts what is allocated: the replacements of operator new and delete, so one file of a test program includes this.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

thread_local bool counting = false;
thread_local int64_t live = 0, peak = 0, allocations = 0;

void* allocate(size_t size, size_t alignment) {
  void* memory = std::aligned_alloc(alignment, (size + alignment) / alignment * alignment);
  if (counting && memory != nullptr) {
    ++allocations;
    live += static_cast<int64_t>(malloc_usable_size(memory));
    peak = std::max(peak, live);
  }
  return memory;
}
void* allocate_or_throw(size_t size, size_t alignment = alignof(std::max_align_t)) {
  if (void* memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

// Kept apart, or the compiler sees memory of `new` handed to free() and warns.
[[gnu::noinline]] void release(void* memory) {
  if (counting && memory != nullptr) live -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

// All forms, so that whatever one of them allocates the matching other frees.
void* operator new(size_t size) { return allocate_or_throw(size); }
void* operator new[](size_t size) { return allocate_or_throw(size); }
void* operator new(size_t size, std::align_val_t to) { return allocate_or_throw(size, static_cast<size_t>(to)); }
void* operator new[](size_t size, std::align_val_t to) { return allocate_or_throw(size, static_cast<size_t>(to)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size, alignof(std::max_align_t)); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size, alignof(std::max_align_t)); }
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }

namespace atto {
namespace {

// How often this thread asked for memory.
template <class Action>
int64_t allocations_during(const Action& action) {
  allocations = 0;
  counting = true;
  action();
  counting = false;
  return allocations;
}

// Bytes that were in use at the same time, at most, by this thread and since the action began.
template <class Action>
double peak_during(const Action& action) {
  live = peak = 0;
  counting = true;
  action();
  counting = false;
  return static_cast<double>(peak);
}

}  // namespace
}  // namespace atto
