// What stands under a figure: its inputs, the frames of an animation, and the files it can be saved as.
import { element } from "../shared/element.ts";
import { messageOf } from "../shared/message.ts";
import type { Figure } from "./figure.ts";
import { type Format, makeFile, save } from "./files.ts";
import { buildFrames } from "./frames.ts";
import { framesOf } from "./params.ts";

const LABELS: Record<Format, string> = { svg: "SVG", png: "PNG", gif: "GIF", json: "spec" };

function saveButton(figure: Figure, format: Format): HTMLButtonElement {
  const label = LABELS[format];
  const button = element("button", { type: "button", class: "save", "aria-label": `save as ${label}` }, label);
  button.dataset.format = format;
  // The page stays alive between frames, and shows how far it is.
  const onFrame = (done: number, all: number) => {
    button.textContent = `${label} ${done}/${all}`;
    return new Promise<void>((resolve) => setTimeout(resolve));
  };
  button.addEventListener("click", () => {
    button.disabled = true;
    makeFile(format, { spec: figure.spec, values: figure.currentValues(), onFrame })
      .then((bytes) => save(figure.spec, format, bytes))
      .catch((error: unknown) => {
        console.error(`${figure.element.id}:`, error);
        button.title = `could not be saved: ${messageOf(error)}`;
      })
      .finally(() => {
        button.disabled = false;
        button.textContent = label;
      });
  });
  return button;
}

/** Fills `place`, and gives where Vega puts the inputs of a spec. */
export function buildControls(figure: Figure, place: Element): HTMLElement {
  const frames = framesOf(figure.spec);
  const bindings = element("div", { class: "bindings" });
  const formats: Format[] = frames ? ["svg", "png", "gif", "json"] : ["svg", "png", "json"];
  const buttons = formats.map((format) => saveButton(figure, format));
  place.replaceChildren(
    ...(frames ? [buildFrames(figure, frames)] : []),
    bindings,
    element("div", { class: "files", role: "group", "aria-label": "save this figure" }, ...buttons),
  );
  return bindings;
}
