#!/usr/bin/env python3
"""Writes the verdicts of the store into the pages of docs/posts/ and into docs/findings.md.

    scripts/update_posts.py                          runs what the store lacks (build/atto reproduce --json), then writes
    scripts/update_posts.py --verdicts FILE.json     takes the verdicts from a file of `atto reproduce --json`
    scripts/update_posts.py --pages FILE.md ...      writes only these pages
    scripts/update_posts.py --check                  writes nothing; fails if a page is not up to date
    scripts/update_posts.py -- --profile full        what follows -- goes to atto reproduce

A page says `<!-- verdicts: STUDY -->`; the table of the study's claims replaces all from there to `<!-- end -->`, with what a reader should
know of its intervals, its calibration, and in how many recipes the claims hold. `<!-- verdicts -->` stands
for the tally of all studies the page names, and how many decisions stand together. `<!-- answers -->` stands for the
sentences on the claims that the studies mark as headlines. In a line, `<!-- found: CLAIM -->...<!-- end -->` holds what was found of one claim, with its interval.
"""
import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- verdicts(?:: (?P<study>[\w-]+))? -->\n).*?(<!-- end -->)", re.DOTALL)
FOUND = re.compile(r"(<!-- found: (?P<claim>[\w.-]+) -->).*?(<!-- end -->)")
ANSWERS = re.compile(r"(<!-- answers -->\n).*?(<!-- end -->)", re.DOTALL)
KINDS = ["supported", "refuted", "inconclusive"]


def number(value):
    """A number of a verdict as people write it; JSON carries infinities as "inf" and what does not exist as null."""
    if value is None:
        return "–"
    value = float(value)
    if abs(value) == float("inf"):
        return "∞" if value > 0 else "−∞"
    text = f"{value:.0f}" if 1000 <= abs(value) < 1e7 else f"{value:.3g}"
    if text in ("1", "-1"):  # 0.9997 is not 1
        text = f"{value:.5g}"
    return text.replace("-", "−").replace("e−0", "e−").replace("e+0", "e")


def interval(low, high):
    return f"[{number(low)}, {number(high)}]"


def cell(text):
    return str(text).replace("|", "\\|")


def seeds(verdict):
    """How many runs the claim speaks of, and those that could not answer in the usual way."""
    told = [f"{verdict[key]} {key}" for key in ("missing", "censored", "diverged") if verdict[key]]
    return f"{verdict['seeds']}" + (f" ({', '.join(told)})" if told else "")


def deciding(verdict):
    """The ends of the interval that the verdict rests on: under looks the one that holds at all of them."""
    if verdict.get("rests_on", "ordinary") != "ordinary" and verdict.get("anytime_low") is not None:
        return verdict["anytime_low"], verdict["anytime_high"]
    return verdict["low"], verdict["high"]


def found(verdict):
    """The estimate and its interval."""
    text = "–" if verdict["estimate"] is None else number(verdict["estimate"])
    low, high = deciding(verdict)
    return text if low is None else text + " " + interval(low, high)


def off_scope(verdict):
    """Tested at other sizes than the published ones, or with a recipe that is not stated: nothing published is refuted there."""
    return verdict.get("origin", "ours") != "ours" and verdict.get("scope") in ("recipe", "scaled")


def word(verdict):
    """The verdict as people say it."""
    kind = verdict["verdict"]
    return {"supported": "found", "refuted": "not found"}.get(kind, kind) if off_scope(verdict) else kind


def place(verdict):
    """Where something was found or not, if the word alone does not say it."""
    if word(verdict) == verdict["verdict"]:
        return ""
    return f" at {verdict.get('at') or 'smaller sizes'}" if verdict["scope"] == "scaled" else " at the published size, with a guessed recipe"


def record(verdict):
    """Why a claim is open, and what a reader should know of one that was not fixed before its runs."""
    why = f" ({verdict['reason_text']})" if verdict.get("reason_text") else ""
    return why + (f"; {verdict['status_text']}" if verdict.get("status") in ("late", "revised") else "")


def region(verdict):
    """Ends that do not belong to the region are said: above, below."""
    low, high = verdict["region"]
    low_open, high_open = verdict.get("open") or (False, False)
    if not low_open and not high_open:
        return interval(low, high)
    return " and ".join(([f"> {number(low)}"] if low_open else []) + ([f"< {number(high)}"] if high_open else []))


def table(verdicts):
    lines = ["| claim | | published | found [95 %] | region | seeds | verdict |", "|---|---|---|---|---|---|---|"]
    for verdict in verdicts:
        answer = found(verdict)
        tuned = " against ".join(t for t in (verdict.get("tuned"), verdict.get("tuned_against")) if t)
        if tuned:
            answer += f"; {tuned}"
        fields = [verdict["claim"], verdict["statement"], verdict["published"], answer, region(verdict), seeds(verdict),
                  f"**{word(verdict)}**{place(verdict)}{record(verdict)}"]
        lines.append("| " + " | ".join(cell(field) for field in fields) + " |")
    return "\n".join(lines)


RESTS_ON = {"anytime": "one that holds at every look", "planned looks": "one whose error the planned looks share"}


def remarks(verdicts):
    """What holds for the whole table of a study, a paragraph each: its intervals, its calibration, its recipes."""
    paragraphs = []
    kinds = [words for kind, words in RESTS_ON.items() if any(verdict.get("rests_on") == kind for verdict in verdicts)]
    if kinds:
        paragraphs.append("Seeds came until the claims were decided; the interval shown is the one that decides: " + ", or ".join(kinds) + ".")
    calibration = next((verdict["calibration"] for verdict in verdicts if verdict.get("calibration")), "")
    if calibration:
        paragraphs.append(f"Calibration: {calibration}")
    judged = [verdict for verdict in verdicts if verdict.get("recipes")]
    if judged:
        first = judged[0]["recipes"]
        lines = [f"In the recipes that the source leaves open (`{first['command']}`, {first['date']}, engine revision {first['engine_revision']}):", ""]
        for verdict in judged:
            stale = f" (stale: {verdict['recipes']['stale']})" if verdict["recipes"]["stale"] else ""
            lines.append(f"- {verdict['claim']} {verdict['recipes']['text']}{stale}")
        paragraphs.append("\n".join(lines))
    return "".join(f"\n\n{paragraph}" for paragraph in paragraphs)


SCOPES = {"published": "at the published size and recipe", "recipe": "at the published size, recipe guessed", "scaled": "scaled down"}
ORIGINS = {"published": ("published statement", "published statements"), "figure": ("reading of a figure", "readings of figures"),
           "ours": ("question of the lab's own", "questions of the lab's own")}
STATUSES = {"fixed": "fixed beforehand", "late": "first recorded after runs", "revised": "revised after runs",
            "new": "new, not yet recorded", "altered": "changed on the command line"}


def counted(verdicts):
    """5 found, 3 not found, 4 inconclusive: in the words of the first, which the others share."""
    counts = Counter(verdict["verdict"] for verdict in verdicts)
    return ", ".join(f"{counts[kind]} {word(verdicts[0] | {'verdict': kind})}" for kind in KINDS)


def overall(verdicts):
    """12 claims: 3 supported, 1 refuted, 5 found, 2 not found off the published scope, 1 inconclusive."""
    near = Counter(verdict["verdict"] for verdict in verdicts if not off_scope(verdict))
    far = Counter(verdict["verdict"] for verdict in verdicts if off_scope(verdict))
    parts = [f"{near['supported']} supported", f"{near['refuted']} refuted"] if near or not far else []
    if far:
        parts += [f"{far['supported']} found", f"{far['refuted']} not found off the published scope"]
    parts.append(f"{near['inconclusive'] + far['inconclusive']} inconclusive")
    return f"{len(verdicts)} claims: {', '.join(parts)}."


def families(verdicts):
    """For each publication, how many decisions stand when all of its claims share the error."""
    decided = {}
    for verdict in verdicts:
        if verdict["verdict"] != "inconclusive" and "adjusted" in verdict:
            decided.setdefault(verdict.get("publication", ""), []).append(verdict["adjusted"] == verdict["verdict"])
    lines = []
    for publication, stands in sorted(decided.items()):
        of = f" of {publication}" if len(decided) > 1 and publication else ""
        plural = ("s" if len(stands) != 1 else "", "s" if sum(stands) == 1 else "")
        lines.append(f"- of {len(stands)} decision{plural[0]}{of} {sum(stands)} stand{plural[1]} when the error of 5 % is shared by all claims of "
                     "the source (Holm's method)")
    return lines


def tally(verdicts):
    """All verdicts, then by origin and scope, then how many claims were fixed before their runs, and how many decisions stand together."""
    lines = [overall(verdicts)]
    groups = {}
    for verdict in verdicts:
        groups.setdefault((verdict.get("origin"), verdict.get("scope")), []).append(verdict)
    for origin in ORIGINS:
        for scope in (*SCOPES, None):
            group = groups.get((origin, scope))
            if group:
                name = ORIGINS[origin][len(group) != 1] + (f" {SCOPES[scope]}" if scope else "")
                lines.append(f"- {len(group)} {name}: {counted(group)}")
    statuses = Counter(verdict["status"] for verdict in verdicts if "status" in verdict)
    if statuses:
        lines.append("- " + "; ".join(f"{statuses[kind]} {name}" for kind, name in STATUSES.items() if statuses[kind]))
    lines += families(verdicts)
    return lines[0] if len(lines) == 1 else "\n".join([lines[0], "", *lines[1:]])


def answers(verdicts):
    """The sentences on the claims that answer for the page, as the program writes them."""
    chosen = [verdict for verdict in verdicts if verdict.get("headline")]
    return "\n".join(f"- {verdict['answer']}" for verdict in chosen) or "- " + overall(verdicts)


def update(text, verdicts):
    """The page with all its blocks written anew; KeyError names a study or claim that the verdicts lack."""
    by_study, by_claim = {}, {verdict["claim"]: verdict for verdict in verdicts}
    for verdict in verdicts:
        by_study.setdefault(verdict["study"], []).append(verdict)
    named = [match["study"] for match in BLOCK.finditer(text) if match["study"]]

    def page_verdicts():
        return [verdict for name in named for verdict in by_study[name]]

    def block(match):
        study = match["study"]
        body = table(by_study[study]) + remarks(by_study[study]) if study else tally(page_verdicts())
        return f"{match[1]}{body}\n{match[3]}"

    text = ANSWERS.sub(lambda match: f"{match[1]}{answers(page_verdicts())}\n{match[2]}", text)
    return FOUND.sub(lambda match: match[1] + found(by_claim[match["claim"]]) + match[3], BLOCK.sub(block, text))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--verdicts", type=Path, metavar="FILE", help="JSON of `atto reproduce --json`")
    parser.add_argument("--pages", type=Path, nargs="+", metavar="FILE", help="these pages instead of docs/posts and docs/findings.md")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a page is out of date")
    parser.add_argument("reproduce", nargs="*", metavar="-- ARGS", help="arguments of atto reproduce")
    options = parser.parse_args()

    if options.verdicts:
        text = options.verdicts.read_text(encoding="utf-8")
    else:
        command = [str(ROOT / "build" / "atto"), "reproduce", "--json", *options.reproduce]
        run = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=False)
        if run.returncode != 0:
            sys.exit(f"error: {' '.join(command)} ended with code {run.returncode}")
        text = run.stdout.decode()
    try:
        verdicts = json.loads(text)
    except json.JSONDecodeError as fault:
        sys.exit(f"error: these are no verdicts of `atto reproduce --json`: {fault}")

    stale = []
    for page in options.pages or [*sorted((ROOT / "docs" / "posts").glob("*.md")), ROOT / "docs" / "findings.md"]:
        old = page.read_text(encoding="utf-8")
        try:
            new = update(old, verdicts)
        except KeyError as name:
            sys.exit(f"error: {page.name} asks for the study or claim {name}, of which there are no verdicts")
        if new == old:
            continue
        stale.append(page.name)
        if not options.check:
            page.write_text(new, encoding="utf-8")
    print(", ".join(stale) + (" out of date" if options.check else " written") if stale else "all pages are up to date")
    sys.exit(1 if options.check and stale else 0)


if __name__ == "__main__":
    main()
