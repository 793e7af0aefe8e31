// The frames of an animated figure: a button that plays them, a slider, and the step that is shown.
import { element } from "../shared/element.ts";
import type { Figure } from "./figure.ts";
import type { Frames } from "./spec.ts";

const DELAY = 80; // ms a frame

export function buildFrames(figure: Figure, { param, steps }: Frames): HTMLElement {
  const last = steps.length - 1;
  const name = figure.element.querySelector("h3")?.textContent ?? "animation";
  const play = element("button", { type: "button", class: "play" });
  const slider = element("input", { type: "range", min: 0, max: last, step: 1, value: last, "aria-label": `frame of ${name}` });
  const label = element("output", { class: "step" });
  let playing = false;

  const showFrame = async (frame: number) => {
    slider.value = String(frame);
    label.textContent = `step ${(steps[frame] ?? 0).toLocaleString("en")}`;
    slider.setAttribute("aria-valuetext", label.textContent);
    await figure.set(param, frame);
  };
  const setPlaying = (state: boolean) => {
    playing = state;
    play.textContent = playing ? "❚❚ pause" : "▶ play";
    play.setAttribute("aria-label", `${playing ? "pause" : "play"} ${name}`);
  };
  // The next frame is asked for when this one is drawn, so that a slow machine skips nothing and queues nothing.
  const advance = async () => {
    if (!playing) return;
    const started = performance.now();
    const frame = Number(slider.value) + 1;
    await showFrame(frame);
    if (frame >= last) setPlaying(false);
    else setTimeout(advance, Math.max(0, DELAY - (performance.now() - started)));
  };

  play.addEventListener("click", async () => {
    setPlaying(!playing);
    if (!playing) return;
    await figure.draw();
    if (Number(slider.value) >= last) await showFrame(0);
    setTimeout(advance, DELAY);
  });
  slider.addEventListener("input", () => {
    setPlaying(false);
    showFrame(Number(slider.value));
  });
  setPlaying(false);
  showFrame(last);
  return element("div", { class: "frames", role: "group", "aria-label": "animation" }, play, slider, label);
}
