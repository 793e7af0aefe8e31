// Reads the files that figures are saved as, as far as a check needs it.

export function pngSize(bytes) {
  if (bytes.subarray(0, 8).toString("latin1") !== "\x89PNG\r\n\x1a\n") throw new Error("no PNG signature");
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

/** Size and number of frames; walks over the blocks of the file and throws where they end early. */
export function gifSize(bytes) {
  if (bytes.subarray(0, 6).toString("latin1") !== "GIF89a") throw new Error("no GIF signature");
  const tableSize = (flags) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  const pastSubBlocks = (at) => {
    while (bytes[at] !== 0) at += bytes.readUInt8(at) + 1;
    return at + 1;
  };
  let frames = 0;
  let at = 13 + tableSize(bytes[10]);
  while (bytes.readUInt8(at) !== 0x3b) {
    if (bytes[at] === 0x21) {
      at = pastSubBlocks(at + 2);
    } else if (bytes[at] === 0x2c) {
      ++frames;
      at = pastSubBlocks(at + 10 + tableSize(bytes[at + 9]) + 1);
    } else {
      throw new Error(`no GIF block at byte ${at}`);
    }
  }
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8), frames };
}

/** Problems of an SVG file, parsed by the browser. */
export function svgProblems(page, text) {
  return page.evaluate((source) => {
    const svg = new DOMParser().parseFromString(source, "image/svg+xml");
    const error = svg.querySelector("parsererror");
    if (error) return [`no XML: ${error.textContent.slice(0, 100)}`];
    return svg.querySelector(".role-mark path, .role-mark text, .role-mark line, .role-mark rect") ? [] : ["no marks"];
  }, text);
}
