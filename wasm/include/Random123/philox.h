// Random123 refuses machines that it was not tested on. Of those it knows, the one with the fewest special instructions
// is like ours; tests/wasm compares every number with native ones.
#pragma once

#define __riscv
#include_next <Random123/philox.h>
#undef __riscv
