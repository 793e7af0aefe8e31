// Real numbers as text and back, without loss.
#pragma once

#include <charconv>
#include <string>

namespace atto {

// The shortest text that reads back as the same number: "0.001", "1e+30", "inf".
std::string shortest_text(double number);

// As std::from_chars: reads the number at the beginning of a text. On a fault `number` stays as it was.
std::from_chars_result read_number(const char* first, const char* last, double& number);

// The same by means of the C library, for C++ libraries that know whole numbers alone.
namespace portable {
std::string shortest_text(double number);
std::from_chars_result read_number(const char* first, const char* last, double& number);
}  // namespace portable

}  // namespace atto
