// What stands under a figure: its inputs, the frames of an animation, and the files it can be saved as.
import { element } from "./element.js";
import { makeFile, save } from "./files.js";
import { buildFrames } from "./frames.js";
import { framesOf, valuesIn } from "./params.js";

const LABELS = { svg: "SVG", png: "PNG", gif: "GIF", json: "spec" };

function saveButton(figure, format) {
  const label = LABELS[format];
  const button = element("button", { type: "button", class: "save", "aria-label": `save as ${label}` }, label);
  button.dataset.format = format;
  // The page stays alive between frames, and shows how far it is.
  const onFrame = (done, all) => {
    button.textContent = `${label} ${done}/${all}`;
    return new Promise((resolve) => setTimeout(resolve));
  };
  button.addEventListener("click", () => {
    button.disabled = true;
    const values = { ...figure.values, ...(figure.view && valuesIn(figure.view, figure.spec)) };
    Promise.resolve(makeFile(format, { spec: figure.spec, values, onFrame }))
      .then((bytes) => save(figure.spec, format, bytes))
      .catch((error) => {
        console.error(`${figure.element.id}:`, error);
        button.title = `could not be saved: ${error.message}`;
      })
      .finally(() => {
        button.disabled = false;
        button.textContent = label;
      });
  });
  return button;
}

/** Fills `place`; `bindings` of what it gives is where Vega puts the inputs of a spec. */
export function buildControls(figure, place) {
  const animated = framesOf(figure.spec);
  const bindings = element("div", { class: "bindings" });
  const formats = animated ? ["svg", "png", "gif", "json"] : ["svg", "png", "json"];
  const buttons = formats.map((format) => saveButton(figure, format));
  place.replaceChildren(
    ...(animated ? [buildFrames(figure)] : []),
    bindings,
    element("div", { class: "files", role: "group", "aria-label": "save this figure" }, ...buttons),
  );
  return { bindings };
}
