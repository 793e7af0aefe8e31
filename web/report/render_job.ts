// Draws figures for the command line: the page holds a job, and the results are left in it as base64.
//
// A headless browser prints the page when it has loaded. Everything below therefore ends before that: promises are settled right
// after the script, while a timer or a callback of the browser (as of canvas.toBlob) would come too late.
import { messageOf } from "../shared/message.ts";
import { type Format, type Order, makeFile } from "./files.ts";
import { initialValues } from "./params.ts";

interface Job {
  figures: (Partial<Order> & Pick<Order, "spec"> & { format: Format })[];
}

const CHUNK = 0x8000; // arguments that one call may have, with room to spare

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(text);
}

function leave(kind: string, index: number, text: string) {
  const element = document.createElement("pre");
  element.className = kind;
  element.dataset.index = String(index);
  element.textContent = text;
  document.body.append(element);
}

export async function runRenderJob(element: Element): Promise<void> {
  const { figures } = JSON.parse(element.textContent) as Job;
  for (const [index, { format, ...job }] of figures.entries()) {
    try {
      leave("result", index, base64(await makeFile(format, { values: initialValues(job.spec), ...job })));
    } catch (error) {
      leave("failure", index, messageOf(error));
    }
  }
}
