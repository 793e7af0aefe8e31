// Draws the figures of a report.
import embed from "vega-embed";
import look from "./look.json";

for (const figure of document.querySelectorAll("figure")) {
  const spec = JSON.parse(figure.querySelector("script").textContent);
  embed(figure.querySelector(".view"), spec, { config: look.light, actions: false });
}
