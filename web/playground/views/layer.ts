// The lines of all seeds, kept as a picture: a frame adds the newest pieces and does not draw the old ones again.
import { toX, toY, type Frame, type Scale } from "../draw/axes.ts";
import { CanvasSurface, type Surface } from "../draw/surface.ts";
import type { RunRecord } from "../state/recordings.ts";

export interface LayerLook {
  frame: Frame;
  x: Scale;
  y: Scale;
  color: (run: RunRecord) => string;
  alpha: number;
}

/** The points of a run from one measurement on, thinned to what the screen can show. */
export function runPoints(run: RunRecord, address: string, from: number, { frame, x, y }: LayerLook): number[] {
  const track = run.tracks.get(address);
  if (!track) return [];
  const points: number[] = [];
  const low = frame.top - 50;
  const high = frame.top + frame.height + 50;
  for (let i = Math.max(0, from); i < track.length; i++)
    points.push(toX(frame, x, track.step(i)), Math.min(high, Math.max(low, toY(frame, y, track.value(i)))));
  return points;
}

export class SeedLayer {
  readonly #canvas = document.createElement("canvas");
  #key = "";
  #drawn = new WeakMap<RunRecord, number>();

  draw(surface: Surface, runs: RunRecord[], address: string, look: LayerLook, key: string): void {
    const stroke = (run: RunRecord) => ({ color: look.color(run), width: 0.9, alpha: look.alpha });
    if (!(surface instanceof CanvasSurface)) {
      for (const run of runs) surface.line(runPoints(run, address, 0, look), stroke(run));
      return;
    }
    const scale = surface.context.getTransform().a;
    const { frame } = look;
    const whole = JSON.stringify([key, scale, surface.width, surface.height, frame, look.x, look.y, look.alpha]);
    const context = this.#canvas.getContext("2d");
    if (!context) return;
    if (whole !== this.#key) {
      this.#canvas.width = Math.round(surface.width * scale);
      this.#canvas.height = Math.round(surface.height * scale);
      this.#drawn = new WeakMap();
      this.#key = whole;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    const layer = new CanvasSurface(context, surface.width, surface.height);
    layer.clip(frame.left, frame.top - 2, frame.width, frame.height + 4, () => {
      for (const run of runs) {
        const length = run.tracks.get(address)?.length ?? 0;
        const drawn = this.#drawn.get(run) ?? 0;
        if (length === drawn) continue;
        layer.line(runPoints(run, address, drawn - 1, look), stroke(run));
        this.#drawn.set(run, length);
      }
    });
    surface.context.drawImage(this.#canvas, 0, 0, surface.width, surface.height);
  }
}
