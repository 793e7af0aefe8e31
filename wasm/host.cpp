// What the C library asks of its host. Memory grows by the module's own instruction and time comes from the page. There
// is nothing else: what it would do with files fails here, and what it would print engine.mjs drops.
#include "host.h"

#include <cerrno>
#include <cstdint>
#include <ctime>

// Milliseconds of a clock that never goes back.
extern "C" __attribute__((import_module("env"), import_name("now"))) double atto_now();

extern "C" {

int clock_gettime(clockid_t, timespec* time) {
  const double now = atto_now();
  time->tv_sec = static_cast<time_t>(now / 1000);
  time->tv_nsec = static_cast<long>((now - static_cast<double>(time->tv_sec) * 1000) * 1e6);
  return 0;
}

int emscripten_resize_heap(size_t bytes) {
  if (bytes > kMostMemory) return 0;
  const size_t pages = (bytes + kPage - 1) / kPage, present = __builtin_wasm_memory_size(0);
  return pages <= present || __builtin_wasm_memory_grow(0, pages - present) != SIZE_MAX;
}

size_t emscripten_get_heap_size() { return __builtin_wasm_memory_size(0) * kPage; }
size_t emscripten_get_heap_max() { return kMostMemory; }

void* emscripten_memcpy_big(void* to, const void* from, size_t bytes) { return __builtin_memcpy(to, from, bytes); }

// Files, which do not exist.
int __syscall_open(const char*, int, int) { return -ENOSYS; }
int __syscall_fcntl64(int, int, int) { return -ENOSYS; }
int __syscall_ioctl(int, int, int) { return -ENOSYS; }
int __syscall_stat64(const char*, void*) { return -ENOSYS; }
int __syscall_lstat64(const char*, void*) { return -ENOSYS; }
int __syscall_fstat64(int, void*) { return -ENOSYS; }
int __syscall_fstatat64(int, const char*, void*, int) { return -ENOSYS; }

// Dates in words, which nobody asks for.
size_t strftime_l(char*, size_t, const char*, const tm*, locale_t) { return 0; }

[[noreturn]] void abort() { __builtin_trap(); }
}
