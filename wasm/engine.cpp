// What a page calls: the questions and sessions of src/live with texts and bytes in the memory of the module.
//
// An answer stays where atto_answer() says until the next call. Nothing throws: what is wrong comes back as the text
// {"error": ...}; a frame begins with "ATF1" and never with "{".
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "lab/results/json.h"
#include "live/ask.h"
#include "live/session.h"

#define ATTO_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace {

std::string g_answer;
std::map<uint32_t, std::unique_ptr<atto::LiveStudy>> g_sessions;
uint32_t g_next_session = 1;

template <class Work>
uint32_t answered(Work work) {
  try {
    g_answer = work();
  } catch (...) {
    g_answer = atto::error_json(std::current_exception());
  }
  return static_cast<uint32_t>(g_answer.size());
}

}  // namespace

// Room for a request of so many bytes; atto_free() gives it back.
ATTO_EXPORT(atto_alloc) void* atto_alloc(uint32_t bytes) { return std::malloc(bytes); }
ATTO_EXPORT(atto_free) void atto_free(void* memory) { std::free(memory); }

ATTO_EXPORT(atto_answer) const char* atto_answer() { return g_answer.data(); }

// Each returns the length of its answer.
ATTO_EXPORT(atto_ask) uint32_t atto_ask(const char* request, uint32_t bytes) {
  return answered([&] { return atto::ask(std::string(request, bytes)); });
}

ATTO_EXPORT(atto_open) uint32_t atto_open(const char* request, uint32_t bytes) {
  return answered([&] {
    auto session = atto::open_session(std::string(request, bytes));
    atto::Json told = atto::parse_json(atto::session_json(*session));
    told["session"] = g_next_session;
    g_sessions.emplace(g_next_session++, std::move(session));
    return told.dump();
  });
}

// `to`: a step that no run goes beyond; 0: none.
ATTO_EXPORT(atto_advance) uint32_t atto_advance(uint32_t session, double milliseconds, double to) {
  return answered([&] {
    const auto found = g_sessions.find(session);
    if (found == g_sessions.end()) throw std::runtime_error("there is no session " + std::to_string(session));
    const bool bounded = to > 0 && to < 9e15;
    return atto::encode(bounded ? found->second->advance(milliseconds, static_cast<int64_t>(to))
                                : found->second->advance(milliseconds));
  });
}

ATTO_EXPORT(atto_close) void atto_close(uint32_t session) { g_sessions.erase(session); }
