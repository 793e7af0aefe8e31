// A list of the studies at the head of the page, which may hold dozens.
import { element } from "./element.js";

export function startContents() {
  const studies = [...document.querySelectorAll("section.study[id]")];
  if (studies.length < 2) return;
  const links = studies.map((study) =>
    element("li", {}, element("a", { href: `#${study.id}` }, study.querySelector("h2")?.textContent ?? study.id)),
  );
  const list = element("details", {}, element("summary", {}, `Contents: ${studies.length} studies`), element("ol", {}, ...links));
  document.querySelector("main").prepend(element("nav", { class: "contents", "aria-label": "contents" }, list));
}
