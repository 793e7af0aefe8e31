// A report made by hand: the page of web/, what scripts/build_web.sh built, and figures in the shape that `atto` writes.
import { readFileSync, writeFileSync } from "node:fs";

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const json = (value) => JSON.stringify(value).replace(/</g, "\\u003c");

export function figure(id, size, spec) {
  return `<figure id="${id}" class="${size}"><h3>${id}, over 64 seeds</h3>
<div class="view" role="img" aria-label="${id}"></div><div class="controls"></div>
<figcaption><p>The loss stays at half of the vocabulary before it falls.</p>
<details class="how"><summary>How to read this</summary><p>The line is the median of all seeds, the band their middle half.</p></details>
<p class="published">Beside: a published figure.</p><p class="command"><code>atto figure ${id.replace("study-", "").replace("--", "/")} --svg</code></p></figcaption>
<script type="application/json">${json(spec)}</script></figure>`;
}

/** A figure of runs that have nothing to show yet. */
export function emptyFigure(id, size) {
  return `<figure id="${id}" class="${size}"><h3>${id}</h3><p class="notice">no run has come to an end</p></figure>`;
}

const FOREST = `<svg class="forest" aria-hidden="true" width="176" height="24" viewBox="0 0 176 24"><rect class="region" x="88" y="1" width="81"
height="22"/><path class="end" d="M88 1v22"/><path class="axis" d="M0 12H176"/><path class="other" d="M100 12H169"/><path class="interval"
d="M120 12H160M120 8v8M160 8v8"/><circle class="estimate" cx="150" cy="12" r="3.5"/></svg>`;

const VERDICTS = ["supported", "refuted", "inconclusive"];
const claimId = (study, verdict) => `claim-study-${study}-S1-${study}-${verdict}`;

function answer(study, target) {
  const marks = VERDICTS.map((verdict) => `<li><a class="${verdict}" href="#${claimId(study, verdict)}" aria-label="S1-${study}-${verdict}: At V = 100
most seeds show a plateau of the loss: ${verdict}"></a></li>`);
  return `<article class="answer" id="answer-${study}"><div class="words"><h3>Somebody, The study ${study} (2026)</h3>
<p class="asked">Asked in <a href="#study-${study}">The study ${study}</a>.</p><ul class="found"><li>At V = 100 most seeds show a plateau: supported,
0.9062 [0.8102, 0.9563] in 64 runs.</li></ul><p class="tally">of 3 claims 1 holds, 1 does not, 1 open.</p>
<ul class="strip" aria-label="Verdicts, ${study}">${marks.join("")}</ul></div>
<figure id="answer-${study}--figure" class="key half" data-spec="${target}"><h4><a href="#${target}">A figure</a></h4>
<div class="view" role="img" aria-label="A figure"></div></figure></article>`;
}

function claim(study, id, verdict, target) {
  return `<tr class="${verdict}" id="claim-study-${study}-${id}"><td><a href="#${target}">${id}</a></td><td>At V = 100 most seeds show a plateau of the
loss</td><td>shown for one run</td><td>${FOREST}0.9062 [0.8102, 0.9563]<small> (6 censored)</small></td><td>[0.5, 1]</td><td>64</td><td class="verdict">${verdict}</td></tr>`;
}

/** `studies` maps the name of a study to the figures in it. */
export function body(studies) {
  const target = (study) => studies[study].match(/figure id="([^"]*)"(?!.*<p class="notice">no run)/)[1];
  const link = (study) => `<a href="#study-${study}">The study ${study}</a>`;
  const names = Object.keys(studies);
  const claims = names.map((study) => {
    const rows = VERDICTS.map((verdict) => claim(study, `S1-${study}-${verdict}`, verdict, target(study)));
    return `<tbody><tr class="study"><th colspan="7" scope="rowgroup">${link(study)}</th></tr>${rows.join("")}</tbody>`;
  });
  const contents = names.map((study) => `<li>${link(study)}</li>`);
  const sections = Object.entries(studies).map(
    ([name, figures]) => `<section class="study" id="study-${name}"><h2>The study ${name}</h2><p class="source">From a post.</p>
<p class="summary">3 claims.</p><details class="setting"><summary>Setting</summary><dl><dt>data.vocab</dt><dd>100</dd></dl></details>
<div class="figures">${figures}</div>
<details class="numbers" open><summary>Numbers</summary><div class="scroll" tabindex="0" role="group" aria-label="Table of numbers"><table><thead><tr>${"<th>quantity</th>".repeat(9)}</tr></thead>
<tbody><tr>${"<td>0.90625000</td>".repeat(9)}</tr></tbody></table></div></details>
<p class="notice">12 of 64 runs are in the store</p></section>`,
  );
  const answers = names.map((study) => answer(study, target(study)));
  return `<section id="answers"><h2>What was found</h2>${answers.join("")}</section>
<section id="claims"><h2>Claims</h2><p class="summary">${3 * names.length} claims.</p><div class="scroll"><table class="claims"><thead><tr>
<th>claim</th><th>statement</th><th>published</th><th>found [95 %]</th><th>expected</th><th>seeds</th><th>verdict</th></tr></thead>
${claims.join("")}</table></div></section>
<nav class="contents"><h2>Studies</h2><ul>${contents.join("")}</ul></nav>${sections.join("")}`;
}

/** Fills the page as `atto report` does. */
export function writePage(path, content, title = "A report made by hand") {
  const parts = {
    title: escaped(title),
    style: read("build/web/report.css"),
    body: content,
    script: read("build/web/report.js"),
    licences: escaped(read("build/web/licences.txt")),
  };
  writeFileSync(path, read("build/web/page.html").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]));
}
