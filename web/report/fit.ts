// Fits a figure to the room it has. On a page of a desk's width the figure's `columns` are honoured; on a narrower one no panel is
// narrower than `smallest`, and fewer stand side by side.
import { type Natural, type Spec, type View, naturalSize } from "./spec.ts";

const WIDEST = 1.6; // of the natural width: beyond that a plot gains nothing
const NARROWEST = 60; // pixels
const TIGHTEST = 100; // pixels that a panel keeps for the sake of the study's `columns`
const AXES = 72; // pixels above and below a panel, for its title, its axis and what is between panels
const TITLE = 12; // pixels above and below a panel without axes
const DESK = 900; // pixels from which a page has room for what a study asks for; below it panels go below each other

export interface Layout {
  columns: number;
  scale: number;
}

/** How many panels stand side by side in `available` pixels, and by what factor each is wider than by nature. */
export function layout(natural: Natural, available: number): Layout {
  const { columns = 1, width, extra = 0, smallest = width, keep_aspect: keepAspect } = natural;
  // The labels of planes and maps are placed for their smallest panel.
  const least = available >= DESK && !keepAspect ? Math.min(smallest, TIGHTEST) : smallest;
  const across = Math.min(Math.max(Math.floor(available / (least + extra)), 1), columns);
  const panel = Math.min(available / across - extra, WIDEST * width);
  return { columns: across, scale: Math.max(panel, Math.min(NARROWEST, smallest)) / width };
}

/** Pixels of `available` that a figure takes by its own account; a wide place may be more than it can use. */
export function used(natural: Natural, available: number): number {
  const { columns, scale } = layout(natural, available);
  return columns * (natural.width * scale + (natural.extra ?? 0));
}

/** The spec with every view inside it resized; a view of another size than its neighbours keeps its proportion to them. */
function resized<Kind extends View>(view: Kind, horizontal: number, vertical: number): Kind {
  const copy = { ...view };
  if (typeof view.width === "number") copy.width = Math.floor(view.width * horizontal);
  if (typeof view.height === "number") copy.height = Math.floor(view.height * vertical);
  for (const key of ["concat", "hconcat", "vconcat"] as const) {
    const parts = view[key];
    if (parts) copy[key] = parts.map((part) => resized(part, horizontal, vertical));
  }
  if (view.spec) copy.spec = resized(view.spec, horizontal, vertical);
  return copy;
}

export function fit(spec: Spec, available: number): Spec {
  const natural = naturalSize(spec);
  if (!natural) return spec;
  const { columns, scale } = layout(natural, available);
  const fitted = resized(spec, scale, natural.keep_aspect ? scale : 1);
  if (spec.concat) fitted.columns = columns;
  return fitted;
}

/** Pixels from the top of a view to its end, with `around` of them around each panel. */
function heightOf(view: View, around: number): number {
  const heights = (parts: View[]) => parts.map((part) => heightOf(part, around));
  if (view.vconcat) return heights(view.vconcat).reduce((sum, height) => sum + height, 0);
  if (view.hconcat) return Math.max(...heights(view.hconcat));
  if (!view.concat) return (typeof view.height === "number" ? view.height : 200) + around;
  const across = typeof view.columns === "number" ? view.columns : view.concat.length;
  let sum = 0;
  for (let row = 0; row < view.concat.length; row += across) sum += Math.max(...heights(view.concat.slice(row, row + across)));
  return sum;
}

/** Pixels a figure will be high, rather too many than too few: this room is kept for it, and the page stays still while it is drawn. */
export function expectedHeight(spec: Spec, available: number): number {
  const natural = naturalSize(spec);
  if (!natural) return 240;
  // A panel with axes has room for them at its side, too.
  return Math.ceil(heightOf(fit(spec, available), Math.min((natural.extra ?? 0) + TITLE, AXES))) + TITLE;
}
