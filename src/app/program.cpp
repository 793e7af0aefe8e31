// atto as a function: reads the command line, does the verb, and tells people what went wrong when something does.
#include "app/program.h"

#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>

#include "app/command_line.h"
#include "app/terminal/safe_output.h"
#include "app/verbs/verbs.h"
#include "base/error.h"
#include "kernels/simd/target.h"

namespace atto {
namespace {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
      return 1;
    case ErrorKind::usage:
      return 2;
    case ErrorKind::config:
      return 3;
    case ErrorKind::missing:
      return 4;
    case ErrorKind::store:
      return 5;
    case ErrorKind::resources:
      return 6;
  }
  return 1;
}

// For errors that have no remedy of their own: where to read on.
std::string general_remedy(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage:
      return "`atto help` shows every verb and its options";
    case ErrorKind::config:
      return "`atto help keys` lists every setting and its values; docs/writing-a-study.md explains study files";
    case ErrorKind::missing:
      return "check the name and the permissions; `atto list` shows the studies, `atto show` what the store holds";
    case ErrorKind::store:
      return "`atto check` tells what is whole";
    case ErrorKind::resources:
      return "see to room, memory and permissions on this machine, and try again";
    case ErrorKind::internal:
      break;
  }
  return "this is a bug; please report it with the command you typed";
}

int complain(ErrorKind kind, const std::string& message, const std::string& remedy) {
  std::cout.flush();
  std::cerr << "error: " << message << "\n";
  std::cerr << "  → " << (remedy.empty() ? general_remedy(kind) : remedy) << "\n";
  return exit_code(kind);
}

// Destructors of the JSON library allocate, and cannot fail. Where the memory ends there, nobody can catch it; what was
// saved is kept all the same, so this says what complain() would, without memory of its own.
[[noreturn]] void end_without_memory() {
  try {
    if (const std::exception_ptr active = std::current_exception()) std::rethrow_exception(active);
  } catch (const std::bad_alloc&) {
    static constexpr char kMessage[] =
        "error: out of memory\n  → use fewer threads (--threads 1) or smaller networks; every run saved so far is "
        "kept\n";
    static_cast<void>(!::write(STDERR_FILENO, kMessage, sizeof kMessage - 1));
    _exit(exit_code(ErrorKind::resources));
  } catch (...) {  // a broken promise of our own
  }
  std::abort();
}

int perform(const Options& options) {
  if (options.verb == "version") return print_version();
  return find_verb(options.verb)->perform(options);
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  // `atto list | head` ends quietly, even when the parent process had asked for the signal to be ignored.
  std::signal(SIGPIPE, SIG_DFL);
  std::set_terminate(end_without_memory);
  // Large blocks go back to the system when their run is over: left to itself the allocator keeps and fragments them,
  // and a sweep takes a quarter more than its runs.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  const SafeOutput out(std::cout, Terminal::of(STDOUT_FILENO)), err(std::cerr, Terminal::of(STDERR_FILENO));
  try {
    if (const char* target = std::getenv("ATTO_TARGET")) pin_target(target);
    const int code = perform(parse_command_line(argc, argv));
    if (!std::cout.flush()) throw Error(ErrorKind::resources, "the output could not be written", "is the disk full?");
    return code;
  } catch (const Error& error) {
    return complain(error.kind(), error.what(), error.remedy());
  } catch (const std::bad_alloc&) {
    return complain(ErrorKind::resources, "out of memory", "use fewer threads (--threads 1) or smaller networks");
  } catch (const std::exception& error) {
    return complain(ErrorKind::internal, error.what(), "this is a bug; please report it with the command you typed");
  }
}

}  // namespace atto
