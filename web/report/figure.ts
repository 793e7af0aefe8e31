// One figure of the page: drawn when asked, drawn anew when the theme or the room changes.
import { element as newElement } from "../shared/element.ts";
import { messageOf } from "../shared/message.ts";
import { onPaper, theme } from "../shared/theme.ts";
import { buildControls } from "./controls.ts";
import { type Drawn, type DrawnView, type Room, drawInto, isNarrow } from "./draw.ts";
import { expectedHeight, fit, layout, used } from "./fit.ts";
import { initialValues, valuesIn, withValues } from "./params.ts";
import { type Spec, type Values, naturalSize } from "./spec.ts";

const TRIES = 4; // of drawings until a figure fits its room
const PAPER = 680; // pixels across a sheet, at which letters keep their size
const SPARE = 24; // pixels on a narrow screen that are worth another drawing

const SPEC = 'script[type="application/json"]';

/** Where the figure's spec is: in it, or in another figure of the page that it shows again. Nowhere: it is words alone. */
export function specIn(element: HTMLElement): Element | null {
  const owner = element.dataset.spec ? document.getElementById(element.dataset.spec) : element;
  return owner?.querySelector(SPEC) ?? null;
}

/** What is inside `element`; a page without it was not written by `atto`. */
function part(element: Element, selector: string): HTMLElement {
  const found = element.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`the page has no ${selector} here`);
  return found;
}

export class Figure {
  readonly place: HTMLElement;
  spec: Spec = {};
  failed: unknown;
  private values: Values = {};
  private bindings: HTMLElement = newElement("div"); // where Vega puts the inputs of a spec
  private drawing: Promise<void> = Promise.resolve();
  private drawn: Drawn | undefined;
  private state = ""; // what the present drawing was made for

  constructor(readonly element: HTMLElement) {
    // Without a place there is nowhere to draw, yet somewhere to say so.
    this.place = element.querySelector<HTMLElement>(".view") ?? element.appendChild(newElement("div", { class: "view" }));
    try {
      this.spec = JSON.parse(specIn(element)?.textContent ?? "") as Spec;
      this.values = initialValues(this.spec);
      this.keepRoom();
      // What can be done with a figure stands where it is shown in full.
      if (!element.dataset.spec) this.bindings = buildControls(this, part(element, ".controls"));
    } catch (error) {
      this.fail(error);
    }
  }

  get view(): DrawnView | undefined {
    return this.drawn?.view;
  }

  /** The parameters as the reader has set them. */
  currentValues(): Values {
    return { ...this.values, ...(this.view && valuesIn(this.view, this.spec)) };
  }

  /** Pixels there are; a figure in a folded part of the page has none and takes its natural size. */
  private room(): number {
    const { width = 400, extra = 0, columns = 1 } = this.spec.usermeta?.atto ?? {};
    const room = this.place.clientWidth || columns * (width + extra);
    return onPaper() ? Math.min(room, PAPER) : room;
  }

  private keepRoom(): void {
    this.place.style.minHeight = `${expectedHeight(this.spec, this.room())}px`;
  }

  /** What the drawing depends on; undrawn figures have none. */
  private wanted(): string {
    const natural = naturalSize(this.spec);
    const { columns, scale } = natural ? layout(natural, this.room()) : { columns: 1, scale: 1 };
    return `${theme()} ${columns} ${Math.round((natural?.width ?? 1) * scale)}`;
  }

  /** Draws unless the picture is there already. One drawing at a time. */
  draw(): Promise<void> {
    this.drawing = this.drawing.then(() => this.drawNow()).catch((error: unknown) => this.fail(error));
    return this.drawing;
  }

  redrawIfStale(): Promise<void> {
    return this.drawn ? this.draw() : Promise.resolve();
  }

  private async drawNow(): Promise<void> {
    if (this.failed || this.state === this.wanted()) return;
    this.state = this.wanted();
    this.values = this.currentValues();
    this.keepRoom();
    await this.drawToFit(this.room());
  }

  /** Axes and legends may need more room than the spec says, and a legend below a plot gives some back: the picture tells. */
  private async drawToFit(available: number): Promise<void> {
    const natural = naturalSize(this.spec);
    let room = available;
    let legendColumns = 2;
    for (let tries = 1; tries <= TRIES; ++tries) {
      await this.embed(fit(this.spec, room), { available, legendColumns });
      const width = this.place.firstElementChild?.getBoundingClientRect().width ?? 0;
      const excess = width - available;
      const tooWide = excess > 0.5;
      const tooSmall = excess < -SPARE && isNarrow(available) && tries === 1;
      if (!natural || !(tooWide || tooSmall)) return;
      if (tooWide && isNarrow(available) && legendColumns > 1) legendColumns = 1;
      // A title wider than its plot moves in by half of what the plot shrinks, so each try asks for more.
      else room = used(natural, room) - excess * (tooWide ? tries : 1);
    }
  }

  private async embed(spec: Spec, room: Room): Promise<void> {
    this.drawn?.finalize();
    this.drawn = await drawInto(this.place, withValues(spec, this.values), theme(), room, this.bindings);
  }

  /** Sets a parameter, such as the frame of an animation. */
  async set(param: string, value: unknown): Promise<void> {
    this.values[param] = value;
    await this.view?.signal(param, value).runAsync();
  }

  /** One broken figure says so in its place and leaves the others alone. */
  private fail(error: unknown): void {
    this.failed = error;
    this.place.style.minHeight = "";
    this.place.textContent = `this figure could not be drawn: ${messageOf(error)}`;
    this.place.classList.add("failed");
    console.error(`${this.element.id}:`, error);
  }
}
