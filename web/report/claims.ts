// Narrows the table of claims to a verdict and to words. Each study has a body of its own in the table, under its title.
import { element } from "../shared/element.ts";

interface ClaimRow {
  row: HTMLTableRowElement;
  text: string;
}

const VERDICTS = { supported: "supported", refuted: "refuted", inconclusive: "inconclusive", unjudged: "not judged" };

export function startClaims(): void {
  const table = document.querySelector<HTMLTableElement>("table.claims");
  if (!table) return;
  const studies = [...table.tBodies].map((body) => ({
    body,
    title: body.querySelector("th")?.textContent.toLowerCase() ?? "",
    claims: [...body.rows].filter((row) => row.querySelector(".verdict")).map((row) => ({ row, text: row.textContent.toLowerCase() })),
  }));
  const claims = studies.flatMap((study) => study.claims);
  const search = element("input", { type: "search", placeholder: "filter claims", "aria-label": "filter claims by words" });
  const count = element("output", { class: "count" });
  let verdict = "";

  const isOf = ({ row }: ClaimRow, name: string) => !name || row.classList.contains(name);
  const button = (name: string, label: string) => {
    const total = claims.filter((claim) => isOf(claim, name)).length;
    const made = element("button", { type: "button", "data-verdict": name }, `${label} ${total}`);
    made.addEventListener("click", () => {
      verdict = name;
      apply();
    });
    return made;
  };
  const present = Object.entries(VERDICTS).filter(([name]) => claims.some((claim) => isOf(claim, name)));
  const buttons = [button("", "all"), ...present.map(([name, label]) => button(name, label))];

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const { body, title, claims: own } of studies) {
      let shownHere = 0;
      for (const claim of own) {
        const hit = isOf(claim, verdict) && words.every((word) => claim.text.includes(word) || title.includes(word));
        claim.row.hidden = !hit;
        shownHere += hit ? 1 : 0;
      }
      body.hidden = shownHere === 0;
      shown += shownHere;
    }
    for (const made of buttons) made.setAttribute("aria-pressed", String(made.dataset.verdict === verdict));
    count.textContent = shown === claims.length ? "" : `${shown} of ${claims.length}`;
  };

  search.addEventListener("input", apply);
  apply();
  // A link to a claim that the reader has filtered away shows it again, with all others.
  addEventListener("hashchange", () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("tr");
    if (!row?.hidden) return;
    [verdict, search.value] = ["", ""];
    apply();
    row.scrollIntoView();
  });
  const verdicts = element("div", { role: "group", "aria-label": "filter claims by verdict" }, ...buttons);
  table.closest(".scroll")?.before(element("div", { class: "filter" }, search, verdicts, count));
}
