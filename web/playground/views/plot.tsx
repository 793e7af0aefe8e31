// A view with its heading, its canvas, and its two files. It keeps its height whatever it shows, so that nothing shifts.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { addPainter, askForPaint } from "../draw/paint.ts";
import { palette, type Palette } from "../draw/palette.ts";
import { training } from "../state/lab.ts";
import { CanvasSurface, SvgSurface, type Surface } from "../draw/surface.ts";
import { download } from "../../shared/download.ts";

export type Draw = (surface: Surface, colors: Palette) => void;

interface Props {
  name: string; // of its files
  title: string;
  height: number | string; // pixels, or as a style sheet says it
  draw: Draw;
  /** What the picture shows, in words, for those who do not see it. */
  describe: () => string;
  tools?: ComponentChildren;
  children?: ComponentChildren;
  onPoint?: (x: number, y: number) => void;
  onLeave?: () => void;
  onPick?: (x: number, y: number) => void;
  onDrag?: (from: number, to: number, done: boolean) => void;
  onReset?: () => void;
  onKey?: (key: string) => boolean;
}

function paint(canvas: HTMLCanvasElement, draw: Draw): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!width || !height) return;
  const scale = Math.min(2, devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  if (!context) return;
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  draw(new CanvasSurface(context, width, height), palette.value);
}

function saveSvg(name: string, canvas: HTMLCanvasElement, draw: Draw): void {
  const surface = new SvgSurface(canvas.clientWidth, canvas.clientHeight);
  surface.rect(0, 0, surface.width, surface.height, palette.value.ground);
  draw(surface, palette.value);
  download(`${name}.svg`, "image/svg+xml", surface.toString());
}

function savePng(name: string, from: HTMLCanvasElement, draw: Draw): void {
  const canvas = document.createElement("canvas");
  const scale = 3;
  canvas.width = from.clientWidth * scale;
  canvas.height = from.clientHeight * scale;
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(scale, scale);
  context.fillStyle = palette.value.ground;
  context.fillRect(0, 0, from.clientWidth, from.clientHeight);
  draw(new CanvasSurface(context, from.clientWidth, from.clientHeight), palette.value);
  canvas.toBlob(async (blob) => {
    if (blob) download(`${name}.png`, blob.type, new Uint8Array(await blob.arrayBuffer()));
  }, "image/png");
}

export function Plot(props: Props) {
  const { name, title, height, draw, describe, tools, children } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawing = useRef(draw);
  drawing.current = draw;
  const [words, setWords] = useState("");
  const pressed = useRef<{ x: number; moved: boolean } | null>(null);

  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    // What is off the screen is drawn when it comes near, and once nothing trains any more.
    let near = true;
    const remove = addPainter(() => {
      if (near || training.value !== "going") paint(element, drawing.current);
    });
    const resized = new ResizeObserver(askForPaint);
    const seen = new IntersectionObserver(
      ([entry]) => {
        near = entry?.isIntersecting ?? true;
        askForPaint();
      },
      { rootMargin: "200px" },
    );
    resized.observe(element);
    seen.observe(element);
    return () => {
      remove();
      resized.disconnect();
      seen.disconnect();
    };
  }, []);
  // Words follow the picture slowly: a screen reader should not be spoken over.
  useEffect(() => {
    const tell = (): void => setWords(describe());
    tell();
    const timer = setInterval(tell, 2000);
    return () => clearInterval(timer);
  });

  const at = (event: PointerEvent): [number, number] => {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const interactive = props.onKey !== undefined;
  return (
    <figure class={`view view-${name}`} aria-label={title}>
      <figcaption>
        <h3>{title}</h3>
        {tools}
        <span class="files">
          <button
            type="button"
            class="quiet"
            title={`Save “${title}” as SVG`}
            aria-label={`Save ${title} as SVG`}
            onClick={() => canvas.current && saveSvg(name, canvas.current, draw)}
          >
            SVG
          </button>
          <button
            type="button"
            class="quiet"
            title={`Save “${title}” as PNG`}
            aria-label={`Save ${title} as PNG`}
            onClick={() => canvas.current && savePng(name, canvas.current, draw)}
          >
            PNG
          </button>
        </span>
      </figcaption>
      <canvas
        ref={canvas}
        role="img"
        aria-label={words}
        style={{ height: typeof height === "number" ? `${height}px` : height }}
        tabIndex={interactive ? 0 : -1}
        onPointerDown={(event) => {
          pressed.current = { x: at(event)[0], moved: false };
          if (props.onDrag) (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
        }}
        onPointerMove={(event) => {
          const [x, y] = at(event);
          const from = pressed.current;
          if (from && props.onDrag && (from.moved || Math.abs(x - from.x) > 6)) {
            from.moved = true;
            props.onDrag(from.x, x, false);
          } else props.onPoint?.(x, y);
        }}
        onPointerUp={(event) => {
          const [x, y] = at(event);
          const from = pressed.current;
          pressed.current = null;
          if (from?.moved && props.onDrag) props.onDrag(from.x, x, true);
          else props.onPick?.(x, y);
        }}
        onPointerCancel={() => (pressed.current = null)}
        onPointerLeave={() => props.onLeave?.()}
        onDblClick={() => props.onReset?.()}
        onKeyDown={(event) => {
          if (props.onKey?.(event.key)) event.preventDefault();
        }}
      />
      {children}
    </figure>
  );
}
