// wasm/engine.mjs and wasm/unpack.mjs, which stand next to the engine.
declare module "atto-engine" {
  export interface Engine {
    ask(request: unknown): unknown;
    open(request: unknown): { session: number; runs: { cell: number; seed: number }[] };
    advance(session: number, milliseconds: number, to?: number): Uint8Array<ArrayBuffer>;
    close(session: number): void;
  }
  export function supportsRelaxed(): boolean;
  export function instantiate(wasm: BufferSource | WebAssembly.Module): Promise<Engine>;
}

declare module "atto-unpack" {
  export function compileEngine(unlzma: Uint8Array<ArrayBuffer>, pack: Uint8Array<ArrayBuffer>, relaxed: boolean): Promise<WebAssembly.Module>;
}
