// The engine in WebAssembly as an object: give it the bytes of engine.wasm, or a compiled module. No file is read and
// nothing is fetched, so a Worker made from a Blob can use it.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const kNoSuchCall = -52; // ENOSYS of musl

// Everything that the module may import: the clock, and for what is left of the C library "no such call".
function importsOf(module) {
  const imports = {};
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function") throw new Error(`the engine asks for a ${kind}, ${from}.${name}`);
    (imports[from] ??= {})[name] = () => kNoSuchCall;
  }
  imports.env.now = () => performance.now();
  return imports;
}

export class Engine {
  constructor(instance) {
    this.exports = instance.exports;
    this.exports.__wasm_call_ctors();
  }

  bytes(length) {
    const start = this.exports.atto_answer() >>> 0;
    return new Uint8Array(this.exports.memory.buffer, start, length).slice();
  }

  // The answer to a request, an object, as an object. What is wrong is thrown: an Error with remedy, line and column.
  call(name, request) {
    const text = encoder.encode(typeof request === "string" ? request : JSON.stringify(request));
    const place = this.exports.atto_alloc(text.length || 1) >>> 0;
    if (place === 0) throw new Error("the memory of the engine does not suffice");
    new Uint8Array(this.exports.memory.buffer, place, text.length).set(text);
    const length = this.exports[name](place, text.length) >>> 0;
    this.exports.atto_free(place);
    return parsed(this.bytes(length));
  }

  ask(request) {
    return this.call("atto_ask", request);
  }

  // {session, runs}
  open(request) {
    return this.call("atto_open", request);
  }

  // A frame, bytes as docs/live.md describes them. No run goes beyond step `to`.
  advance(session, milliseconds, to = 0) {
    const bytes = this.bytes(this.exports.atto_advance(session, milliseconds, to) >>> 0);
    if (bytes[0] === 0x7b) parsed(bytes);
    return bytes;
  }

  close(session) {
    this.exports.atto_close(session);
  }
}

function parsed(bytes) {
  const answer = JSON.parse(decoder.decode(bytes));
  if (!answer.error) return answer;
  const { message, ...rest } = answer.error;
  throw Object.assign(new Error(message), rest);
}

// Whether this browser has the relaxed vector instructions that engine-relaxed.wasm is made of: a function of one of
// them, the fused multiply-add, is valid.
export function supportsRelaxed() {
  const zeros = [0xfd, 0x0c, ...new Array(16).fill(0)];
  const body = [0, ...zeros, ...zeros, ...zeros, 0xfd, 0x85, 0x02, 0x0b];
  const header = [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0];
  const sections = [1, 5, 1, 0x60, 0, 1, 0x7b, 3, 2, 1, 0, 10, body.length + 2, 1, body.length, ...body];
  return WebAssembly.validate(new Uint8Array([...header, ...sections]));
}

export async function instantiate(bytesOrModule) {
  const module =
    bytesOrModule instanceof WebAssembly.Module ? bytesOrModule : await WebAssembly.compile(bytesOrModule);
  return new Engine(await WebAssembly.instantiate(module, importsOf(module)));
}
