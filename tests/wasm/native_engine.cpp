// The native engine for tests that compare: a request on each line of the input, its answer on a line of the output. An
// object with "train" opens a session with what stands there and answers with all its frames, in hexadecimal digits;
// one with "speed" answers with the steps that such a session, kept between two such requests, does in so many
// milliseconds.
#include <ctime>
#include <iostream>
#include <string>

#include "lab/results/json.h"
#include "live/ask.h"
#include "live/session.h"

namespace {

std::string in_hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string answer(const std::string& line) {
  const atto::Json request = atto::parse_json(line);
  if (request.contains("speed")) {
    static std::string opened;
    static std::unique_ptr<atto::LiveStudy> session;
    if (const std::string asked = request["speed"].dump(); !session || asked != opened) {
      session = atto::open_session(asked);
      opened = asked;
    }
    const std::clock_t start = std::clock();
    const int64_t steps = session->advance(request["milliseconds"].get<double>()).steps;
    const double cpu_ms = 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    return atto::Json{{"steps", steps}, {"cpu_ms", cpu_ms}}.dump();
  }
  if (!request.contains("train")) return atto::ask(line);
  const auto session = atto::open_session(request["train"].dump());
  atto::Json frames = atto::Json::array();
  while (!session->ended()) frames.push_back(in_hex(encode(session->advance(50))));
  return atto::Json{{"runs", atto::parse_json(atto::session_json(*session))["runs"]}, {"frames", frames}}.dump();
}

}  // namespace

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    try {
      std::cout << answer(line) << std::endl;
    } catch (...) {
      std::cout << atto::error_json(std::current_exception()) << std::endl;
    }
  }
}
