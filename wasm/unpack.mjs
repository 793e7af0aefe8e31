// Both engines from the file that a page carries, build/page/engines.pack: u32 bytes of engine-relaxed.wasm, u32 bytes of
// engine.wasm (little-endian), then one LZMA stream of the two (`xz --format=lzma`). They have most of their code in
// common, so the second costs a tenth of the first; browsers unpack nothing that does as well.

const kTotal = 2048; // of the probabilities, which have 11 bits
const kStates = 12;

// The first `length` bytes that an LZMA stream holds.
export function unlzma(input, length) {
  const out = new Uint8Array(length);
  const properties = input[0];
  const lc = properties % 9;
  const lp = Math.floor(properties / 9) % 5;
  const pb = Math.floor(properties / 45);
  const literalMask = (1 << lp) - 1;
  const positionMask = (1 << pb) - 1;

  // A range coder: the next bit is 0 with the probability p / 2048, which follows the bits as they come.
  let at = 14; // properties, size of the dictionary, length; and the first byte of the code is always 0
  let range = 0xffffffff;
  let code = 0;
  for (let i = 0; i < 4; ++i) code = ((code << 8) | input[at++]) >>> 0;
  function bit(p, i) {
    const bound = (range >>> 11) * p[i];
    let found = 0;
    if (code < bound) {
      range = bound;
      p[i] += (kTotal - p[i]) >> 5;
    } else {
      range -= bound;
      code -= bound;
      p[i] -= p[i] >> 5;
      found = 1;
    }
    if (range < 0x1000000) {
      range = (range << 8) >>> 0;
      code = ((code << 8) | input[at++]) >>> 0;
    }
    return found;
  }
  function evenBits(count) {
    let value = 0;
    for (; count > 0; --count) {
      range >>>= 1;
      const found = code >= range ? 1 : 0;
      if (found) code -= range;
      value = value * 2 + found;
      if (range < 0x1000000) {
        range = (range << 8) >>> 0;
        code = ((code << 8) | input[at++]) >>> 0;
      }
    }
    return value;
  }
  // `count` bits, the highest first; the probabilities of a tree begin at `from`.
  function tree(p, from, count) {
    let node = 1;
    for (let i = 0; i < count; ++i) node = (node << 1) | bit(p, from + node);
    return node - (1 << count);
  }
  function reverseTree(p, from, count) {
    let node = 1;
    let value = 0;
    for (let i = 0; i < count; ++i) {
      const found = bit(p, from + node);
      node = (node << 1) | found;
      value |= found << i;
    }
    return value;
  }

  const probabilities = (count) => new Uint16Array(count).fill(kTotal / 2);
  const literal = probabilities(0x300 << (lc + lp));
  const isMatch = probabilities(kStates << 4);
  const isRepeated = probabilities(kStates);
  const isNotLast = probabilities(kStates);
  const isNotSecond = probabilities(kStates);
  const isNotThird = probabilities(kStates);
  const isLong = probabilities(kStates << 4);
  const slots = probabilities(4 << 6);
  const near = probabilities(128);
  const lowest = probabilities(16);
  const lengths = () => ({ choice: probabilities(2), low: probabilities(16 << 3), middle: probabilities(16 << 3), high: probabilities(256) });
  const newLengths = lengths();
  const repeatedLengths = lengths();
  function readLength(p, position) {
    if (bit(p.choice, 0) === 0) return 2 + tree(p.low, position << 3, 3);
    if (bit(p.choice, 1) === 0) return 10 + tree(p.middle, position << 3, 3);
    return 18 + tree(p.high, 0, 8);
  }
  function readDistance(copied) {
    const slot = tree(slots, Math.min(copied - 2, 3) << 6, 6);
    if (slot < 4) return slot;
    const bits = (slot >> 1) - 1;
    const start = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return start + reverseTree(near, start - slot, bits);
    return start + evenBits(bits - 4) * 16 + reverseTree(lowest, 0, 4);
  }

  let state = 0;
  let [last, second, third, fourth] = [0, 0, 0, 0]; // distances of the last copies, less one
  for (let done = 0; done < length; ) {
    const position = done & positionMask;
    if (bit(isMatch, (state << 4) + position) === 0) {
      const before = done > 0 ? out[done - 1] : 0;
      const from = 0x300 * (((done & literalMask) << lc) + (before >> (8 - lc)));
      let node = 1;
      if (state >= 7) {
        let expected = out[done - last - 1];
        do {
          const guess = (expected >> 7) & 1;
          expected <<= 1;
          const found = bit(literal, from + ((1 + guess) << 8) + node);
          node = (node << 1) | found;
          if (guess !== found) break;
        } while (node < 0x100);
      }
      while (node < 0x100) node = (node << 1) | bit(literal, from + node);
      out[done++] = node & 0xff;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let copied;
    if (bit(isRepeated, state) === 0) {
      [fourth, third, second] = [third, second, last];
      copied = readLength(newLengths, position);
      last = readDistance(copied);
      state = state < 7 ? 7 : 10;
    } else {
      if (bit(isNotLast, state) === 0) {
        if (bit(isLong, (state << 4) + position) === 0) {
          state = state < 7 ? 9 : 11;
          out[done] = out[done - last - 1];
          ++done;
          continue;
        }
      } else if (bit(isNotSecond, state) === 0) {
        [last, second] = [second, last];
      } else if (bit(isNotThird, state) === 0) {
        [last, second, third] = [third, last, second];
      } else {
        [last, second, third, fourth] = [fourth, last, second, third];
      }
      copied = readLength(repeatedLengths, position);
      state = state < 7 ? 8 : 11;
    }
    if (last >= done || at > input.length) throw new Error("the engine inside of this page is damaged");
    for (const end = Math.min(done + copied, length); done < end; ++done) out[done] = out[done - last - 1];
  }
  return out;
}

// The bytes of the engine that suits this browser.
export function unpackEngine(pack, relaxed) {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  const [first, second] = [view.getUint32(0, true), view.getUint32(4, true)];
  const all = unlzma(pack.subarray(8), relaxed ? first : first + second);
  return relaxed ? all : all.subarray(first);
}
