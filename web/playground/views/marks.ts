// The shapes by which events are told apart without colour.
import type { Surface } from "../draw/surface.ts";
import type { Mark } from "./events.ts";

export function drawMark(surface: Surface, mark: Mark, x: number, y: number, size: number, color: string, rim: string): void {
  if (!Number.isFinite(x) || !Number.isFinite(y)) return;
  if (mark === "circle" || mark === "bar") return surface.circle(x, y, size, color, 1, rim);
  const shape =
    mark === "triangle"
      ? [x, y - size * 1.5, x + size * 1.3, y + size, x - size * 1.3, y + size]
      : [x, y - size * 1.4, x + size * 1.4, y, x, y + size * 1.4, x - size * 1.4, y];
  surface.area(shape, color);
  surface.line([...shape, shape[0] as number, shape[1] as number], { color: rim, width: 1 });
}
