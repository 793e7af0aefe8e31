// What a report's page does in the browser. The same script draws single figures for the command line.
import { startClaims } from "./claims.js";
import { startFigures } from "./figures.js";
import { runRenderJob } from "./render_job.js";
import { startTheme } from "./theme.js";

const job = document.querySelector("script#render-job"); // a study may give its name to another element
if (job) {
  runRenderJob(job);
} else {
  startTheme();
  startClaims();
  window.atto = startFigures(); // for whoever drives the page from outside, such as its tests
}
