// One call that fails: the n-th allocation of the process, or its n-th call for a file. operator new and the functions
// of the C library are replaced in this program (allocations.cpp, file_calls.cpp), for the libraries it loads as well.
#pragma once

#include <cstdint>

namespace atto::faults {

enum class Fault { none, allocation, file_call };

// From here on calls of this kind are counted, by all threads, and the n-th fails. 0: none does.
void arm(Fault fault, int64_t fail_at);
int64_t disarm();  // the calls that were counted

// Asked by what is replaced.
bool fails(Fault fault);

// From here on the clock on the wall jumps by years whenever it is asked (clock.cpp).
void let_clock_jump();

}  // namespace atto::faults
