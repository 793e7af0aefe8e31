// Draws figures for the command line: the page holds a job, and the results are left in it as base64.
//
// A headless browser prints the page when it has loaded. Everything below therefore ends before that: promises are settled right
// after the script, while a timer or a callback of the browser (as of canvas.toBlob) would come too late.
import { makeFile } from "./files.js";
import { initialValues } from "./params.js";

const CHUNK = 0x8000; // arguments that one call may have, with room to spare

function base64(bytes) {
  let text = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
  }
  return btoa(text);
}

function leave(kind, index, text) {
  const element = document.createElement("pre");
  element.className = kind;
  element.dataset.index = index;
  element.textContent = text;
  document.body.append(element);
}

export async function runRenderJob(element) {
  const { figures } = JSON.parse(element.textContent);
  for (const [index, { format, ...job }] of figures.entries()) {
    try {
      leave("result", index, base64(await makeFile(format, { values: initialValues(job.spec), ...job })));
    } catch (error) {
      leave("failure", index, error.message);
    }
  }
}
