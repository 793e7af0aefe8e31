// Narrows the table of claims to a verdict and to words.
import { element } from "./element.js";

const VERDICTS = ["supported", "refuted", "inconclusive"];

export function startClaims() {
  const table = document.querySelector("table.claims");
  if (!table) return;
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, text: row.textContent.toLowerCase() }));
  const search = element("input", { type: "search", placeholder: "filter claims", "aria-label": "filter claims by words" });
  const count = element("output", { class: "count" });
  let verdict = "";

  const buttons = ["", ...VERDICTS].map((name) => {
    const total = rows.filter(({ row }) => !name || row.classList.contains(name)).length;
    const button = element("button", { type: "button", "data-verdict": name }, `${name || "all"} ${total}`);
    button.addEventListener("click", () => {
      verdict = name;
      apply();
    });
    return button;
  });
  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const { row, text } of rows) {
      row.hidden = !((!verdict || row.classList.contains(verdict)) && words.every((word) => text.includes(word)));
      shown += row.hidden ? 0 : 1;
    }
    for (const button of buttons) button.setAttribute("aria-pressed", button.dataset.verdict === verdict);
    count.textContent = shown === rows.length ? "" : `${shown} of ${rows.length}`;
  };

  search.addEventListener("input", apply);
  apply();
  const verdicts = element("div", { role: "group", "aria-label": "filter claims by verdict" }, ...buttons);
  table.closest(".scroll").before(element("div", { class: "filter" }, search, verdicts, count));
}
