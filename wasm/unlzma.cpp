// Unpacks LZMA (`xz --format=lzma`), for a page that carries its engines packed. A module of its own, six kilobytes:
// the same decoder in JavaScript takes two to three times as long, and browsers unpack nothing themselves that packs as
// well.
//
// The page puts the packed bytes where room() says and calls unpack() until all is there, some bytes at a time: what is
// there can be compiled meanwhile, and a function that is called more than once is optimized.
#include <stddef.h>  // without a library there is no <cstddef>
#include <stdint.h>

#define ATTO_EXPORT(name) extern "C" __attribute__((export_name(#name)))

extern "C" uint8_t __heap_base;

namespace {

constexpr uint32_t kPage = 65'536;
// How xz packs unless told otherwise: 3 bits of the last byte choose the model of a literal, 2 of the place that of a
// match.
constexpr uint8_t kProperties = 0x5d;
constexpr uint32_t kLiteralBits = 3, kPlaces = 4;
constexpr uint32_t kHeader = 13;  // properties, size of the dictionary, length
constexpr uint32_t kStates = 12;
constexpr uint32_t kLongest = 273;  // bytes that a copy may go beyond what was asked for

using Probability = uint16_t;  // of a 0, in 2048ths
constexpr Probability kHalf = 1024;

struct Lengths {
  Probability choice[2], low[kPlaces][8], middle[kPlaces][8], high[256];
};
struct Model {
  Probability literal[1 << kLiteralBits][0x300];
  Probability is_match[kStates][kPlaces], is_repeated[kStates], is_not_last[kStates], is_not_second[kStates],
      is_not_third[kStates], is_long[kStates][kPlaces];
  Probability slots[4][64], near[128], lowest[16];
  Lengths lengths, repeated_lengths;
};
Model g_model;

// A range coder: the next bit is 0 with a probability that follows the bits as they come.
struct Coder {
  const uint8_t* in;
  const uint8_t* end;
  uint32_t range, code;

  void normalise() {
    if (range >= 1U << 24) return;
    range <<= 8;
    code = code << 8 | (in < end ? *in : 0);
    ++in;  // beyond the end: damaged, which unpack() tells
  }
  uint32_t bit(Probability& p) {
    const uint32_t bound = (range >> 11) * p;
    uint32_t found = 0;
    if (code < bound) {
      range = bound;
      p = static_cast<Probability>(p + ((2048 - p) >> 5));
    } else {
      range -= bound;
      code -= bound;
      p = static_cast<Probability>(p - (p >> 5));
      found = 1;
    }
    normalise();
    return found;
  }
  uint32_t even_bits(uint32_t count) {
    uint32_t value = 0;
    for (; count > 0; --count) {
      range >>= 1;
      const uint32_t found = code >= range;
      if (found) code -= range;
      value = value << 1 | found;
      normalise();
    }
    return value;
  }
  uint32_t tree(Probability* p, uint32_t count) {  // the highest bit first
    uint32_t node = 1;
    for (uint32_t i = 0; i < count; ++i) node = node << 1 | bit(p[node]);
    return node - (1U << count);
  }
  uint32_t reverse_tree(Probability* p, uint32_t count) {
    uint32_t node = 1, value = 0;
    for (uint32_t i = 0; i < count; ++i) {
      const uint32_t found = bit(p[node]);
      node = node << 1 | found;
      value |= found << i;
    }
    return value;
  }
  uint32_t length(Lengths& p, uint32_t place) {
    if (!bit(p.choice[0])) return 2 + tree(p.low[place], 3);
    if (!bit(p.choice[1])) return 10 + tree(p.middle[place], 3);
    return 18 + tree(p.high, 8);
  }
  uint32_t distance(uint32_t copied) {
    const uint32_t slot = tree(g_model.slots[copied - 2 < 3 ? copied - 2 : 3], 6);
    if (slot < 4) return slot;
    const uint32_t bits = (slot >> 1) - 1, start = (2 | (slot & 1)) << bits;
    if (slot < 14) return start + reverse_tree(g_model.near + start - slot, bits);
    return start + (even_bits(bits - 4) << 4) + reverse_tree(g_model.lowest, 4);
  }
};

// Where unpacking stands between two calls.
struct Progress {
  Coder coder;
  uint8_t* out;
  uint32_t length, done, state;
  uint32_t last[4];  // distances of the last copies, less one
};
Progress g_progress;

uint32_t literal(Coder& coder, const uint8_t* out, uint32_t done, uint32_t state, uint32_t last) {
  const uint32_t before = done > 0 ? out[done - 1] : 0;
  Probability* const p = g_model.literal[before >> (8 - kLiteralBits)];
  uint32_t node = 1;
  if (state >= 7) {  // after a copy, what would have come next tells what does not
    uint32_t expected = out[done - last - 1];
    do {
      const uint32_t guess = expected >> 7 & 1;
      expected <<= 1;
      const uint32_t found = coder.bit(p[((1 + guess) << 8) + node]);
      node = node << 1 | found;
      if (guess != found) break;
    } while (node < 0x100);
  }
  while (node < 0x100) node = node << 1 | coder.bit(p[node]);
  return node;
}

}  // namespace

// Room for so many packed bytes, and for what they unpack to; null where there is none.
ATTO_EXPORT(room) uint8_t* room(uint32_t packed, uint32_t unpacked) {
  const uint64_t needed = reinterpret_cast<uintptr_t>(&__heap_base) + uint64_t{packed} + unpacked + kLongest;
  const uint64_t pages = (needed + kPage - 1) / kPage, present = __builtin_wasm_memory_size(0);
  if (pages > present && (pages > 65'536 || __builtin_wasm_memory_grow(0, pages - present) == SIZE_MAX)) return nullptr;
  g_progress = {};
  g_progress.coder = {&__heap_base, &__heap_base + packed, 0xffffffff, 0};
  g_progress.out = &__heap_base + packed;
  g_progress.length = unpacked;
  return &__heap_base;
}

ATTO_EXPORT(unpacked) const uint8_t* unpacked() { return g_progress.out; }

// Goes on until `to` bytes are there, or a few more. Returns how many; 0: the packed bytes are damaged.
ATTO_EXPORT(unpack) uint32_t unpack(uint32_t to) {
  Progress p = g_progress;
  Coder& coder = p.coder;
  if (p.done == 0) {
    if (coder.end - coder.in < kHeader + 5 || *coder.in != kProperties) return 0;
    Probability* const all = reinterpret_cast<Probability*>(&g_model);
    for (size_t i = 0; i < sizeof(Model) / sizeof(Probability); ++i) all[i] = kHalf;
    coder.in += kHeader + 1;  // the first byte of the code is always 0
    for (int i = 0; i < 4; ++i) coder.code = coder.code << 8 | *coder.in++;
  }
  Model& m = g_model;
  const uint32_t end = to < p.length ? to : p.length;
  uint32_t& last = p.last[0];
  while (p.done < end) {
    const uint32_t place = p.done % kPlaces;
    if (!coder.bit(m.is_match[p.state][place])) {
      p.out[p.done] = static_cast<uint8_t>(literal(coder, p.out, p.done, p.state, last));
      ++p.done;
      p.state = p.state < 4 ? 0 : p.state < 10 ? p.state - 3 : p.state - 6;
      continue;
    }
    uint32_t copied = 1;
    if (!coder.bit(m.is_repeated[p.state])) {
      p.last[3] = p.last[2];
      p.last[2] = p.last[1];
      p.last[1] = last;
      copied = coder.length(m.lengths, place);
      last = coder.distance(copied);
      p.state = p.state < 7 ? 7 : 10;
    } else {
      bool once = false;  // the byte at the last distance, alone
      if (!coder.bit(m.is_not_last[p.state])) {
        once = !coder.bit(m.is_long[p.state][place]);
      } else {
        const uint32_t which = !coder.bit(m.is_not_second[p.state]) ? 1 : 2 + coder.bit(m.is_not_third[p.state]);
        const uint32_t distance = p.last[which];
        for (uint32_t i = which; i > 0; --i) p.last[i] = p.last[i - 1];
        last = distance;
      }
      if (!once) copied = coder.length(m.repeated_lengths, place);
      p.state = p.state < 7 ? (once ? 9 : 8) : 11;
    }
    if (last >= p.done || coder.in > coder.end + 8) return 0;
    const uint8_t* const from = p.out + p.done - last - 1;
    for (uint32_t i = 0; i < copied; ++i) p.out[p.done + i] = from[i];
    p.done += copied;
  }
  g_progress = p;
  return p.done;
}
