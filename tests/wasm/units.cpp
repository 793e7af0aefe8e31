// The engine's own tests in WebAssembly: what Node calls (tests_test.mjs).
#include <gtest/gtest.h>

#include <cerrno>
#include <ctime>
#include <string>

// What googletest asks of a system beyond what the engine does (wasm/host.cpp): folders, which there are none of, the
// time of day, which nothing shows, and an end.
extern "C" {
int __syscall_mkdir(const char*, int) { return -ENOSYS; }
int __syscall_rmdir(const char*) { return -ENOSYS; }
int __syscall_unlink(const char*) { return -ENOSYS; }
void _localtime_js(const time_t*, tm*) {}
void _tzset_js(long*, int*, char**) {}
void exit(int) { __builtin_trap(); }
}

// Runs the tests whose names match googletest's pattern of so many bytes; 0: all passed.
extern "C" __attribute__((export_name("run_tests"))) int run_tests(const char* pattern, uint32_t bytes) {
  static bool started = false;
  if (!started) {
    int count = 1;
    std::string name = "units";
    char* arguments[] = {name.data(), nullptr};
    testing::InitGoogleTest(&count, arguments);
    started = true;
  }
  testing::GTEST_FLAG(filter) = std::string(pattern, bytes);
  return RUN_ALL_TESTS();
}

extern "C" __attribute__((export_name("room"))) char* room(uint32_t bytes) {
  static std::string text;
  text.resize(bytes);
  return text.data();
}

// Tests that were run, so that an empty pattern is not taken for success.
extern "C" __attribute__((export_name("tests_run"))) int tests_run() {
  return testing::UnitTest::GetInstance()->test_to_run_count();
}
