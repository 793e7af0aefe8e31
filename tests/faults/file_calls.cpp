// The calls by which files are opened, written, synced, renamed and closed, of which one can fail. What is not a
// regular file of the folder under test (the terminal, libraries) is let through and not counted.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>

#include "plan.h"

namespace {

// The function that would have been called.
template <typename Function>
Function* real(Function*& kept, const char* name) {
  if (kept == nullptr) kept = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
  return kept;
}

bool fails_now(int error) {
  if (!atto::faults::fails(atto::faults::Fault::file_call)) return false;
  errno = error;
  return true;
}

bool is_file(int descriptor) {
  const int kept = errno;
  struct stat found {};
  const bool file = fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && descriptor > 2;
  errno = kept;
  return file;
}

// Only what may be written; the rest of reading is tried elsewhere.
bool opens_to_write(int flags) { return (flags & O_ACCMODE) != O_RDONLY; }

}  // namespace

extern "C" {

#define OPEN(name)                                             \
  int name(const char* path, int flags, ...) {                 \
    mode_t mode = 0;                                           \
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {                \
      va_list rest;                                            \
      va_start(rest, flags);                                   \
      mode = va_arg(rest, mode_t);                             \
      va_end(rest);                                            \
    }                                                          \
    if (opens_to_write(flags) && fails_now(ENOSPC)) return -1; \
    static int (*kept)(const char*, int, ...) = nullptr;       \
    return real(kept, #name)(path, flags, mode);               \
  }
OPEN(open)
OPEN(open64)
#undef OPEN

#define WRITE_AT(name, offset)                                              \
  ssize_t name(int descriptor, const void* bytes, size_t size, offset at) { \
    if (is_file(descriptor) && fails_now(ENOSPC)) return -1;                \
    static ssize_t (*kept)(int, const void*, size_t, offset) = nullptr;     \
    return real(kept, #name)(descriptor, bytes, size, at);                  \
  }
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)
#undef WRITE_AT

ssize_t write(int descriptor, const void* bytes, size_t size) {
  if (is_file(descriptor) && fails_now(ENOSPC)) return -1;
  static ssize_t (*kept)(int, const void*, size_t) = nullptr;
  return real(kept, "write")(descriptor, bytes, size);
}

#define SYNC(name)                                        \
  int name(int descriptor) {                              \
    if (is_file(descriptor) && fails_now(EIO)) return -1; \
    static int (*kept)(int) = nullptr;                    \
    return real(kept, #name)(descriptor);                 \
  }
SYNC(fsync)
SYNC(fdatasync)
#undef SYNC

// A file that cannot be closed is closed all the same: what was said of its content is what failed.
int close(int descriptor) {
  static int (*kept)(int) = nullptr;
  const bool failed = is_file(descriptor) && fails_now(EIO);
  const int result = real(kept, "close")(descriptor);
  if (failed) errno = EIO;
  return failed ? -1 : result;
}

int rename(const char* from, const char* to) {
  if (fails_now(EACCES)) return -1;
  static int (*kept)(const char*, const char*) = nullptr;
  return real(kept, "rename")(from, to);
}

int mkdir(const char* path, mode_t mode) {
  if (fails_now(ENOSPC)) return -1;
  static int (*kept)(const char*, mode_t) = nullptr;
  return real(kept, "mkdir")(path, mode);
}

// Streams of the C library make its own calls, which nobody can come between.
size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
  if (is_file(fileno(stream)) && fails_now(ENOSPC)) return 0;
  static size_t (*kept)(const void*, size_t, size_t, FILE*) = nullptr;
  return real(kept, "fwrite")(bytes, size, count, stream);
}

int fflush(FILE* stream) {
  if (stream != nullptr && is_file(fileno(stream)) && fails_now(ENOSPC)) return EOF;
  static int (*kept)(FILE*) = nullptr;
  return real(kept, "fflush")(stream);
}

int fclose(FILE* stream) {
  static int (*kept)(FILE*) = nullptr;
  const bool failed = is_file(fileno(stream)) && fails_now(EIO);
  const int result = real(kept, "fclose")(stream);
  if (failed) errno = EIO;
  return failed ? EOF : result;
}

FILE* fdopen(int descriptor, const char* mode) {
  if (is_file(descriptor) && fails_now(ENOMEM)) return nullptr;
  static FILE* (*kept)(int, const char*) = nullptr;
  return real(kept, "fdopen")(descriptor, mode);
}
}
