/** Gives bytes or text to the reader as a file. */
export function download(name: string, type: string, content: Uint8Array<ArrayBuffer> | string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may still be reading it after the click
}
