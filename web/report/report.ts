// What a report's page does in the browser. The same script draws single figures for the command line.
import { startTheme } from "../shared/theme.ts";
import { startClaims } from "./claims.ts";
import { type Figures, startFigures } from "./figures.ts";
import { runRenderJob } from "./render_job.ts";
import { startStrips } from "./strip.ts";

declare global {
  interface Window {
    atto: Figures; // for whoever drives the page from outside, such as its tests
  }
}

const job = document.querySelector("script#render-job"); // a study may give its name to another element
if (job) {
  void runRenderJob(job);
} else {
  const themeButton = document.querySelector<HTMLButtonElement>("button#theme");
  if (themeButton) startTheme(themeButton);
  startStrips();
  startClaims();
  window.atto = startFigures();
}
