// The engines that a page carries, build/page/engines.pack: u32 bytes of engine-relaxed.wasm, u32 bytes of engine.wasm
// (little-endian), then one LZMA stream of the two. They have most of their code in common, so the second costs a tenth of the
// first. unlzma.wasm unpacks it; both are given as bytes.

const kPiece = 1 << 17; // bytes that are unpacked before what is there can be compiled

/** A stream of the bytes of the engine that suits this browser. */
export async function engineStream(unlzma, pack, relaxed) {
  const view = new DataView(pack.buffer, pack.byteOffset, pack.byteLength);
  const [first, second] = [view.getUint32(0, true), view.getUint32(4, true)];
  const packed = pack.subarray(8);
  const end = relaxed ? first : first + second;
  const { exports } = (await WebAssembly.instantiate(unlzma)).instance;
  const place = exports.room(packed.length, end) >>> 0;
  if (place === 0) throw new Error("there is no memory to unpack the engine");
  new Uint8Array(exports.memory.buffer, place, packed.length).set(packed);
  const start = exports.unpacked() >>> 0;
  let told = relaxed ? 0 : first; // what comes before is the other engine
  return new ReadableStream({
    pull(controller) {
      const done = exports.unpack(Math.min(end, told + kPiece)) >>> 0;
      if (done === 0) throw new Error("the engine inside of this page is damaged");
      const to = Math.min(done, end);
      controller.enqueue(new Uint8Array(exports.memory.buffer, start + told, to - told).slice());
      told = to;
      if (told === end) controller.close();
    },
  });
}

/** The engine, compiled while it is unpacked. */
export async function compileEngine(unlzma, pack, relaxed) {
  const headers = { "Content-Type": "application/wasm" };
  return WebAssembly.compileStreaming(new Response(await engineStream(unlzma, pack, relaxed), { headers }));
}
