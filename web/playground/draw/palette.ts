// Colours: those of the style sheet, and ramps that keep their order for every eye and on both backgrounds.
import { signal } from "@preact/signals";

export interface Palette {
  ground: string;
  ink: string;
  soft: string;
  grid: string;
  accent: string;
  cells: string[]; // of compared settings
  dark: boolean;
}

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: color("panel"),
    ink: color("ink"),
    soft: color("soft"),
    grid: color("grid"),
    accent: color("accent"),
    cells: [1, 2, 3, 4, 5, 6].map((index) => color(`cell-${index}`)),
    dark: color("scheme") === "dark",
  };
}

export const palette = signal<Palette>({ ground: "", ink: "", soft: "", grid: "", accent: "", cells: [], dark: false });

export const cellColor = ({ cells, accent }: Palette, cell: number): string => cells[cell % cells.length] ?? accent;

type Rgb = readonly [number, number, number];

// Viridis and plasma at even places, by their published tables; between them straight lines are close enough to draw with.
const VIRIDIS: Rgb[] = [
  [68, 1, 84],
  [72, 40, 120],
  [62, 74, 137],
  [49, 104, 142],
  [38, 130, 142],
  [31, 158, 137],
  [53, 183, 121],
  [110, 206, 88],
  [181, 222, 43],
  [253, 231, 37],
];
const PLASMA: Rgb[] = [
  [13, 8, 135],
  [70, 3, 159],
  [114, 1, 168],
  [156, 23, 158],
  [189, 55, 134],
  [216, 87, 107],
  [237, 121, 83],
  [251, 159, 58],
  [253, 202, 38],
  [240, 249, 33],
];

function along(ramp: Rgb[], share: number): Rgb {
  const place = Math.min(1, Math.max(0, share)) * (ramp.length - 1);
  const low = ramp[Math.floor(place)] as Rgb;
  const high = ramp[Math.ceil(place)] as Rgb;
  const part = place - Math.floor(place);
  return [0, 1, 2].map((i) => Math.round((low[i] as number) + ((high[i] as number) - (low[i] as number)) * part)) as unknown as Rgb;
}

const css = ([r, g, b]: Rgb): string => `rgb(${r} ${g} ${b})`;

/** Shares of a whole, dark for none on both backgrounds. */
export const heat = (share: number): string => css(along(VIRIDIS, share));
export const inkOnHeat = (share: number): string => (share > 0.6 ? "#111" : "#fff");

/** The colour of one of `count` tokens: a category of its own for few, a place on a ramp for many. */
export function tokenColor(colors: Palette, index: number, count: number): string {
  if (count <= 6) return cellColor(colors, index);
  const share = index / Math.max(1, count - 1);
  return css(along(PLASMA, colors.dark ? 0.25 + 0.75 * share : 0.85 * share));
}
