// One figure of the page: drawn when asked, drawn anew when the theme or the room changes.
import { buildControls } from "./controls.js";
import { drawInto, isNarrow } from "./draw.js";
import { element as newElement } from "./element.js";
import { expectedHeight, fit, layout, used } from "./fit.js";
import { framesOf, initialValues, valuesIn, withValues } from "./params.js";
import { onPaper, theme } from "./theme.js";

const TRIES = 4; // of drawings until a figure fits its room
const PAPER = 680; // pixels across a sheet, at which letters keep their size
const SPARE = 24; // pixels on a narrow screen that are worth another drawing

/** Where a figure keeps its spec. */
export const SPEC = 'script[type="application/json"]';

export class Figure {
  constructor(element) {
    this.element = element;
    // Without a place there is nowhere to draw, yet somewhere to say so.
    this.place = element.querySelector(".view") ?? element.appendChild(newElement("div", { class: "view" }));
    this.drawing = Promise.resolve();
    this.attempt(() => {
      this.spec = JSON.parse(element.querySelector(SPEC).textContent);
      this.values = initialValues(this.spec);
      this.place.style.minHeight = `${expectedHeight(this.spec, this.room())}px`;
      this.controls = buildControls(this, element.querySelector(".controls"));
    });
  }

  get view() {
    return this.drawn?.view;
  }

  /** Pixels there are; a figure in a folded part of the page has none and takes its natural size. */
  room() {
    const { width = 400, extra = 0, columns = 1 } = this.spec.usermeta?.atto ?? {};
    const room = this.place.clientWidth || columns * (width + extra);
    return onPaper() ? Math.min(room, PAPER) : room;
  }

  /** What the drawing depends on; undrawn figures have none. */
  wanted() {
    const natural = this.spec.usermeta?.atto;
    const { columns, scale } = natural?.width ? layout(natural, this.room()) : { columns: 1, scale: 1 };
    return `${theme()} ${columns} ${Math.round((natural?.width ?? 1) * scale)}`;
  }

  /** Draws unless the picture is there already. One drawing at a time. */
  draw() {
    this.drawing = this.drawing.then(() => this.attempt(() => this.drawNow()));
    return this.drawing;
  }

  redrawIfStale() {
    return this.drawn ? this.draw() : undefined;
  }

  async drawNow() {
    if (this.failed || this.state === this.wanted()) return;
    this.state = this.wanted();
    if (this.view) this.values = { ...this.values, ...valuesIn(this.view, this.spec) };
    await this.drawToFit(this.room());
    this.place.style.minHeight = "";
  }

  /** Axes and legends may need more room than the spec says, and a legend below a plot gives some back: the picture tells. */
  async drawToFit(available) {
    const natural = this.spec.usermeta?.atto;
    let room = available;
    let legendColumns = 2;
    for (let tries = 1; tries <= TRIES; ++tries) {
      await this.embed(fit(this.spec, room), { available, legendColumns });
      const excess = this.place.firstElementChild.getBoundingClientRect().width - available;
      const tooWide = excess > 0.5;
      const tooSmall = excess < -SPARE && isNarrow(available) && tries === 1;
      if (!natural?.width || !(tooWide || tooSmall)) return;
      if (tooWide && isNarrow(available) && legendColumns > 1) legendColumns = 1;
      // A title wider than its plot moves in by half of what the plot shrinks, so each try asks for more.
      else room = used(natural, room) - excess * (tooWide ? tries : 1);
    }
  }

  async embed(spec, { available, legendColumns }) {
    this.drawn?.finalize();
    this.drawn = await drawInto(this.place, withValues(spec, this.values), {
      theme: theme(),
      available,
      legendColumns,
      bindings: this.controls.bindings,
    });
  }

  /** Shows a frame of an animation. */
  show(frame) {
    const { param } = framesOf(this.spec);
    this.values[param] = frame;
    return this.view?.signal(param, frame).runAsync();
  }

  /** One broken figure says so in its place and leaves the others alone. */
  attempt(action) {
    const report = (error) => {
      this.failed = error;
      this.place.style.minHeight = "";
      this.place.textContent = `this figure could not be drawn: ${error.message}`;
      this.place.classList.add("failed");
      console.error(`${this.element.id}:`, error);
    };
    try {
      return action()?.catch(report);
    } catch (error) {
      return report(error);
    }
  }
}
