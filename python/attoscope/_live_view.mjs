// Live views of a study in a notebook cell (anywidget): curves of all runs with the median of each cell, and the embedding
// of one run. It asks for what is new when it has drawn what it had, so a slow page is told less often and loses nothing.
// While a cell runs its questions may have to wait; then it is told, unasked, all from the beginning.

/** A frame as src/live/frame.h writes it. */
export function decodeFrame(view) {
  if (view.getUint32(0, true) !== 0x31465441) throw new Error("this is no frame");
  const blocks = [];
  let at = 8;
  for (let left = view.getUint32(4, true); left > 0; left--) {
    const [run, series, points, width] = [0, 4, 8, 12].map((offset) => view.getUint32(at + offset, true));
    const steps = Array.from({ length: points }, (_, i) => view.getFloat64(at + 16 + 8 * i, true));
    const first = at + 16 + 8 * points;
    const values = Array.from({ length: points * width }, (_, i) => view.getFloat32(first + 4 * i, true));
    blocks.push({ run, series, width, steps, values });
    at += Math.ceil((16 + 8 * points + 4 * points * width) / 8) * 8;
  }
  const text = new Uint8Array(view.buffer, view.byteOffset + at + 4, view.getUint32(at, true));
  return { blocks, ...JSON.parse(new TextDecoder().decode(text)) };
}

/** The median of numbers, leaving out those that are none. */
export function median(numbers) {
  const sorted = numbers.filter(Number.isFinite).sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** What is known of every run: the points of the series that are shown, and how far it is. */
export class Runs {
  constructor(study, keys) {
    this.cells = study.cells.map(({ text, series }) => ({
      text,
      curve: series.findIndex((one) => one.shape.length === 0),
      cloud: series.findIndex((one) => one.address === "embedding" && one.shape[1] >= 2),
      series,
    }));
    this.all = keys.map(({ cell, seed }) => ({ cell, seed, steps: [], values: [], cloud: null, step: 0, finished: false, diverged: false }));
  }

  add(frame) {
    for (const { run, series, width, steps, values } of frame.blocks) {
      const one = this.all[run];
      const { curve, cloud, series: known } = this.cells[one.cell];
      if (series === curve) {
        one.steps.push(...steps);
        one.values.push(...values);
      } else if (series === cloud && steps.length > 0) {
        one.cloud = { width: known[cloud].shape[1], values: values.slice(-width) };
      }
    }
    for (const { run, ...news } of frame.runs) Object.assign(this.all[run], news);
  }

  /** The curve of medians over the runs of a cell, at the steps that all of them have. */
  medianOf(cell) {
    const runs = this.all.filter((run) => run.cell === cell && run.steps.length > 0);
    if (runs.length === 0) return { steps: [], values: [] };
    const shared = Math.min(...runs.map((run) => run.steps.length));
    const steps = runs[0].steps.slice(0, shared);
    return { steps, values: steps.map((_, i) => median(runs.map((run) => run.values[i]))) };
  }

  summary() {
    const done = this.all.filter((run) => run.finished).length;
    const diverged = this.all.filter((run) => run.diverged).length;
    const step = median(this.all.map((run) => run.step)) || 0;
    return `${this.all.length} runs, ${done} finished${diverged ? `, ${diverged} diverged` : ""}, step ${Math.round(step)}`;
  }
}

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]; // told apart by colour-blind readers, too
const MARGIN = 36;

const extent = (numbers) => numbers.reduce(([low, high], x) => (Number.isFinite(x) ? [Math.min(low, x), Math.max(high, x)] : [low, high]), [Infinity, -Infinity]);

/** A pen on a canvas whose axes go over these numbers. */
function axes(canvas, [left, right], [bottom, top], ink) {
  const scale = globalThis.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * scale)) [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
  const pen = canvas.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  const x = (value) => MARGIN + ((value - left) / (right - left || 1)) * (width - 2 * MARGIN);
  const y = (value) => height - MARGIN - ((value - bottom) / (top - bottom || 1)) * (height - 2 * MARGIN);
  pen.fillStyle = pen.strokeStyle = ink;
  pen.font = "11px system-ui, sans-serif";
  pen.globalAlpha = 0.7;
  const short = (number) => String(Number(number.toPrecision(3)));
  pen.fillText(short(top), 2, y(top) + 4);
  pen.fillText(short(bottom), 2, y(bottom) + 4);
  pen.fillText(short(left), x(left), height - MARGIN + 14);
  pen.fillText(short(right), x(right) - 24, height - MARGIN + 14);
  pen.globalAlpha = 1;
  return { pen, x, y };
}

function drawCurves(canvas, runs, followed, ink) {
  const [, last] = extent(runs.all.map((run) => run.steps.at(-1)));
  const [low, high] = extent(runs.all.flatMap((run) => run.values));
  if (!Number.isFinite(low) || !Number.isFinite(last)) return;
  const { pen, x, y } = axes(canvas, [0, last], [low, high], ink);
  const line = (steps, values) => {
    pen.beginPath();
    steps.forEach((step, i) => pen.lineTo(x(step), y(values[i])));
    pen.stroke();
  };
  runs.all.forEach((run, i) => {
    pen.strokeStyle = COLOURS[run.cell % COLOURS.length];
    [pen.globalAlpha, pen.lineWidth] = i === followed ? [1, 1.5] : [0.25, 1];
    line(run.steps, run.values);
  });
  pen.globalAlpha = 1;
  pen.lineWidth = 3;
  runs.cells.forEach((_, cell) => {
    const { steps, values } = runs.medianOf(cell);
    pen.strokeStyle = COLOURS[cell % COLOURS.length];
    line(steps, values);
  });
}

function drawCloud(canvas, run, ink) {
  if (!run?.cloud) return;
  const { width, values } = run.cloud;
  const points = Array.from({ length: values.length / width }, (_, i) => [values[i * width], values[i * width + 1]]);
  const { pen, x, y } = axes(canvas, extent(points.map(([a]) => a)), extent(points.map(([, b]) => b)), ink);
  points.forEach(([a, b], token) => pen.fillText(String(token), x(a) - 3, y(b) + 3));
}

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function render({ model, el }) {
  const study = model.get("study");
  let runs = new Runs(study, model.get("runs"));
  const name = study.cells[0]?.series.find((one) => one.shape.length === 0)?.address ?? "";
  const hasCloud = runs.cells.some(({ cloud }) => cloud >= 0);
  const canvas = (label) => {
    const made = element("canvas", { style: "width: 100%; height: 220px; display: block" });
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", label);
    return made;
  };
  const curves = canvas(`${name} of all runs, with the median of each cell`);
  const cloud = canvas("the embedding of the run that is followed");
  const state = element("span", { textContent: runs.summary() });
  state.setAttribute("role", "status");
  // Some notebooks, such as marimo, leave buttons without a border.
  const pause = element("button", { type: "button", textContent: "Pause", style: "border: 1px solid; border-radius: 3px; padding: 0 0.6em" });
  const choice = element("select", { title: "the run that is followed" },
    ...runs.all.map((run, i) => element("option", { value: String(i), textContent: `${study.cells[run.cell].text} seed ${run.seed}` })));
  const several = runs.cells.length > 1 && runs.cells.length <= COLOURS.length; // more would share colours
  const legend = runs.cells.slice(0, several ? COLOURS.length : 0).map(({ text }, cell) =>
    element("span", { style: "margin-left: 1em" }, element("span", { style: `color: ${COLOURS[cell]}`, textContent: "⬤ " }), text));
  const label = (text, ...parts) => element("label", { style: "display: flex; gap: 0.5em" }, text, ...parts);
  el.replaceChildren(
    element("div", { style: "display: flex; gap: 1em; align-items: center; flex-wrap: wrap" },
      element("strong", { textContent: study.title }), pause, label("follow", choice), state),
    element("div", { style: `display: grid; grid-template-columns: ${hasCloud ? "2fr 1fr" : "1fr"}` },
      element("figure", { style: "margin: 0" }, element("figcaption", {}, name, ...legend), curves),
      ...(hasCloud ? [element("figure", { style: "margin: 0" }, element("figcaption", { textContent: "embedding" }), cloud)] : [])));

  let place = 0, gone = false, paused = false, followed = 0;
  const draw = () => {
    const ink = getComputedStyle(el).color;
    drawCurves(curves, runs, followed, ink);
    if (hasCloud) drawCloud(cloud, runs.all[followed], ink);
    state.textContent = runs.summary() + (paused ? ", paused" : "");
  };
  const ask = () => {
    if (!gone) model.send({ ask: "news", place });
  };
  const hear = (message, buffers) => {
    if (message.news === undefined) return;
    // What was told unasked may come between a question and its answer, which then does not follow on what is known.
    const anew = message.since === 0 && (message.end ?? message.news) > place;
    if (anew || message.since === place) {
      place = message.news;
      if (anew) runs = new Runs(study, model.get("runs"));
      if (buffers.length > 0) {
        const bytes = buffers[0];
        runs.add(decodeFrame(bytes instanceof DataView ? bytes : new DataView(bytes.buffer ?? bytes, bytes.byteOffset ?? 0)));
      }
    }
    requestAnimationFrame(() => {
      draw();
      if (message.failure) state.textContent = JSON.parse(message.failure).error.message;
      else if (message.unasked) return; // the question is still on its way
      else if (message.over) pause.disabled = true;
      else setTimeout(ask, buffers.length > 0 ? 30 : 200);
    });
  };
  pause.onclick = () => {
    paused = !paused;
    pause.textContent = paused ? "Resume" : "Pause";
    model.send({ ask: paused ? "pause" : "resume" });
    draw();
  };
  choice.onchange = () => {
    followed = Number(choice.value);
    draw();
  };
  model.on("msg:custom", hear);
  ask();
  return () => {
    gone = true;
    model.off("msg:custom", hear);
  };
}

export default { render };
