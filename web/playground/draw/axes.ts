// Scales and axes: ticks at round numbers, labels that say what and in which unit.
import type { Palette } from "./palette.ts";
import type { Surface } from "./surface.ts";

export interface Scale {
  low: number;
  high: number;
  log: boolean;
}

export interface Frame {
  left: number;
  top: number;
  width: number;
  height: number;
}

const place = ({ low, high, log }: Scale, value: number): number =>
  log ? Math.log(Math.max(value, 1e-30) / low) / Math.log(high / low) : (value - low) / (high - low);

export const toX = (frame: Frame, scale: Scale, value: number): number => frame.left + place(scale, value) * frame.width;
export const toY = (frame: Frame, scale: Scale, value: number): number => frame.top + (1 - place(scale, value)) * frame.height;

export function fromX(frame: Frame, { low, high, log }: Scale, x: number): number {
  const share = (x - frame.left) / frame.width;
  return log ? low * Math.pow(high / low, share) : low + (high - low) * share;
}

/** Round numbers within a scale, about `count` of them. */
export function ticks({ low, high, log }: Scale, count: number): number[] {
  if (!(high > low)) return [low];
  if (log && high / low > 8) {
    const decades = Math.log10(high / low);
    const digits = decades > 4 ? [1] : decades > 2 ? [1, 3] : [1, 2, 5];
    const found: number[] = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      for (const digit of digits) {
        const tick = Number((digit * Math.pow(10, power)).toPrecision(3));
        if (tick >= low * 0.999 && tick <= high * 1.001) found.push(tick);
      }
    return found;
  }
  const rough = (high - low) / Math.max(1, count);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const fitting = [0.5, 1, 2, 5, 10].filter((digit) => digit * power < rough || digit === 0.5);
  // The next round step that leaves enough room; a finer one where that would leave a single number, which says nothing of the scale.
  const found = multiples(low, high, ([1, 2, 5, 10].find((digit) => digit * power >= rough) ?? 10) * power);
  return found.length > 1 ? found : multiples(low, high, (fitting.at(-1) as number) * power);
}

function multiples(low: number, high: number, step: number): number[] {
  const found: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) found.push(Number((i * step).toPrecision(12)));
  return found;
}

export function tickText(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) return value.toExponential(0).replace("e+", "e");
  return size >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

/** Three figures, with thousands apart: for words. */
export const figures = (value: number): string => {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  return Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3))).replace("-", "−");
};

export function drawAxes(
  surface: Surface,
  colors: Palette,
  frame: Frame,
  x: { scale: Scale; title: string },
  y: { scale: Scale; title: string },
): void {
  const { left, top, width, height } = frame;
  for (const tick of ticks(y.scale, Math.max(2, height / 48))) {
    const at = Math.round(toY(frame, y.scale, tick)) + 0.5;
    if (at < top - 1 || at > top + height + 1) continue;
    surface.line([left, at, left + width, at], { color: colors.grid });
    surface.text(tickText(tick), left - 7, at, { color: colors.soft, align: "end" });
  }
  const below = top + height;
  surface.line([left, below + 0.5, left + width, below + 0.5], { color: colors.soft, alpha: 0.6 });
  const room = Math.max(2, width / 90);
  for (const tick of ticks(x.scale, room)) {
    const at = Math.round(toX(frame, x.scale, tick)) + 0.5;
    surface.line([at, below, at, below + 4], { color: colors.soft, alpha: 0.6 });
    surface.text(tickText(tick), at, below + 7, { color: colors.soft, align: "middle", baseline: "top" });
  }
  if (x.title) surface.text(x.title, left + width, below + 22, { color: colors.soft, align: "end", baseline: "top" });
  if (y.title) surface.text(y.title, 0, top - 16, { color: colors.ink, weight: 600, baseline: "middle" });
}

/** A range of numbers with a little room; of logarithmic ones in proportion. */
export function niceScale(low: number, high: number, log: boolean): Scale {
  if (!(high > low)) {
    const middle = Number.isFinite(low) ? low : 1;
    return log ? { low: middle / 2, high: middle * 2, log } : { low: middle - 1, high: middle + 1, log };
  }
  if (log) return { low: low * Math.pow(high / low, -0.04), high: high * Math.pow(high / low, 0.06), log };
  return { low: low - (high - low) * 0.04, high: high + (high - low) * 0.06, log };
}
