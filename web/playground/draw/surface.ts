// What views draw on: a canvas for the screen and for PNG, or SVG. A view is drawn by one function, wherever it goes.

export interface Stroke {
  color: string;
  width?: number;
  alpha?: number;
  dash?: number[];
}

export interface Label {
  color: string;
  size?: number;
  weight?: number;
  align?: "start" | "middle" | "end";
  baseline?: "top" | "middle" | "bottom";
  turned?: boolean; // read from below
  halo?: string; // a rim in this colour, for text over marks
}

/** Points are x0, y0, x1, y1, …; a NaN ends a line and begins another. */
export interface Surface {
  readonly width: number;
  readonly height: number;
  line(points: ArrayLike<number>, stroke: Stroke): void;
  area(points: ArrayLike<number>, color: string, alpha?: number): void;
  rect(x: number, y: number, width: number, height: number, color: string, alpha?: number): void;
  circle(x: number, y: number, radius: number, color: string, alpha?: number, rim?: string): void;
  text(text: string, x: number, y: number, label: Label): void;
  clip(x: number, y: number, width: number, height: number, draw: () => void): void;
}

export const FONT = 'system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, "Liberation Sans", sans-serif';

export class CanvasSurface implements Surface {
  constructor(
    readonly context: CanvasRenderingContext2D,
    readonly width: number,
    readonly height: number,
  ) {}

  #trace(points: ArrayLike<number>): void {
    const { context } = this;
    context.beginPath();
    let pen = false;
    for (let i = 0; i + 1 < points.length; i += 2) {
      const x = points[i] as number;
      const y = points[i + 1] as number;
      if (x !== x || y !== y) pen = false;
      else if (pen) context.lineTo(x, y);
      else {
        context.moveTo(x, y);
        pen = true;
      }
    }
  }

  line(points: ArrayLike<number>, { color, width = 1, alpha = 1, dash = [] }: Stroke): void {
    const { context } = this;
    context.globalAlpha = alpha;
    context.strokeStyle = color;
    context.lineWidth = width;
    context.lineJoin = "round";
    context.setLineDash(dash);
    this.#trace(points);
    context.stroke();
    context.globalAlpha = 1;
  }

  area(points: ArrayLike<number>, color: string, alpha = 1): void {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = color;
    this.#trace(points);
    this.context.fill();
    this.context.globalAlpha = 1;
  }

  rect(x: number, y: number, width: number, height: number, color: string, alpha = 1): void {
    this.context.globalAlpha = alpha;
    this.context.fillStyle = color;
    this.context.fillRect(x, y, width, height);
    this.context.globalAlpha = 1;
  }

  circle(x: number, y: number, radius: number, color: string, alpha = 1, rim?: string): void {
    const { context } = this;
    context.globalAlpha = alpha;
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fillStyle = color;
    context.fill();
    if (rim) {
      context.setLineDash([]);
      context.lineWidth = 1.5;
      context.strokeStyle = rim;
      context.stroke();
    }
    context.globalAlpha = 1;
  }

  text(text: string, x: number, y: number, label: Label): void {
    const { context } = this;
    const { color, size = 11, weight = 400, align = "start", baseline = "middle", turned = false, halo } = label;
    context.save();
    context.translate(x, y);
    if (turned) context.rotate(-Math.PI / 2);
    context.font = `${weight} ${size}px ${FONT}`;
    context.textAlign = align === "middle" ? "center" : align;
    context.textBaseline = baseline;
    if (halo) {
      context.lineWidth = 3;
      context.lineJoin = "round";
      context.setLineDash([]);
      context.strokeStyle = halo;
      context.strokeText(text, 0, 0);
    }
    context.fillStyle = color;
    context.fillText(text, 0, 0);
    context.restore();
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void): void {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    draw();
    context.restore();
  }
}

const escapeText = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const short = (number: number): string => String(Math.round(number * 100) / 100);

export class SvgSurface implements Surface {
  readonly #parts: string[] = [];
  #clips = 0;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  #path(points: ArrayLike<number>): string {
    let path = "";
    let pen = false;
    for (let i = 0; i + 1 < points.length; i += 2) {
      const x = points[i] as number;
      const y = points[i + 1] as number;
      if (x !== x || y !== y) pen = false;
      else {
        path += `${pen ? "L" : "M"}${short(x)} ${short(y)}`;
        pen = true;
      }
    }
    return path;
  }

  line(points: ArrayLike<number>, { color, width = 1, alpha = 1, dash = [] }: Stroke): void {
    const dashes = dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : "";
    const path = this.#path(points);
    this.#parts.push(
      `<path d="${path}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linejoin="round" opacity="${alpha}"${dashes}/>`,
    );
  }

  area(points: ArrayLike<number>, color: string, alpha = 1): void {
    this.#parts.push(`<path d="${this.#path(points)}Z" fill="${color}" opacity="${alpha}"/>`);
  }

  rect(x: number, y: number, width: number, height: number, color: string, alpha = 1): void {
    const box = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
    this.#parts.push(`<rect ${box} fill="${color}" opacity="${alpha}"/>`);
  }

  circle(x: number, y: number, radius: number, color: string, alpha = 1, rim?: string): void {
    const edge = rim ? ` stroke="${rim}" stroke-width="1.5"` : "";
    this.#parts.push(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${color}" opacity="${alpha}"${edge}/>`);
  }

  text(text: string, x: number, y: number, label: Label): void {
    const { color, size = 11, weight = 400, align = "start", baseline = "middle", turned = false, halo } = label;
    const dy = { top: 0.8, middle: 0.35, bottom: -0.2 }[baseline] * size;
    const turn = turned ? ` transform="rotate(-90 ${short(x)} ${short(y)})"` : "";
    const rim = halo ? ` stroke="${halo}" stroke-width="3" stroke-linejoin="round" paint-order="stroke"` : "";
    const look = `font-size="${size}" font-weight="${weight}" text-anchor="${align}" fill="${color}"`;
    this.#parts.push(`<text x="${short(x)}" y="${short(y)}" dy="${short(dy)}" ${look}${turn}${rim}>${escapeText(text)}</text>`);
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void): void {
    const id = `c${this.#clips++}`;
    const box = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
    this.#parts.push(`<clipPath id="${id}"><rect ${box}/></clipPath><g clip-path="url(#${id})">`);
    draw();
    this.#parts.push("</g>");
  }

  toString(): string {
    const size = `width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family='${FONT}'>${this.#parts.join("")}</svg>\n`;
  }
}
