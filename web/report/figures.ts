// All figures of the page: each is drawn when the reader comes near it.
import { onThemeChange } from "../shared/theme.ts";
import { Figure, specIn } from "./figure.ts";

const NEAR = "800px"; // so that a figure is there before it is seen
const SETTLED = 200; // ms without a change of size

export interface Figures {
  figures: Figure[];
  renderAll(): Promise<unknown>;
}

export function startFigures(): Figures {
  const drawable = [...document.querySelectorAll<HTMLElement>("main figure")].filter(specIn);
  const figures = drawable.map((element) => new Figure(element));
  const figureOf = new Map<Element, Figure>(figures.map((figure) => [figure.element, figure]));

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        void figureOf.get(target)?.draw();
      }
    },
    { rootMargin: NEAR },
  );

  let timer: ReturnType<typeof setTimeout>;
  const resized = new ResizeObserver(() => {
    clearTimeout(timer);
    timer = setTimeout(redrawStale, SETTLED);
  });
  const redrawStale = () => figures.forEach((figure) => void figure.redrawIfStale());

  for (const { element } of figures) near.observe(element);
  resized.observe(document.querySelector("main") ?? document.body);
  onThemeChange(redrawStale);

  const renderAll = () => Promise.all(figures.map((figure) => figure.draw()));
  addEventListener("beforeprint", renderAll);
  return { figures, renderAll };
}
