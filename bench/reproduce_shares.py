"""Which runs of a store are there for which claims: the runs a claim speaks of, up to the look that decided it."""
import json
import sqlite3
import subprocess
import tomllib


def claims_in(folder):
    """The ids of all claims of the studies in a folder."""
    return {claim["id"] for path in folder.glob("*.toml") for claim in tomllib.loads(path.read_text(encoding="utf-8")).get("claim", [])}


def seeds_at_look(count, most, look):
    """As the program plans them: each look has half as many seeds again as the one before, up to the budget."""
    seeds = count
    for _ in range(look - 1):
        if seeds < most:
            seeds += (seeds + 1) // 2
    return min(seeds, max(count, most))


def groups_of(question):
    """The groups of cells that a question names, wherever they stand in it."""
    if isinstance(question, dict) and "cells" in question and "common" in question:
        return [question]
    parts = question.values() if isinstance(question, dict) else question if isinstance(question, list) else []
    return [group for part in parts for group in groups_of(part)]


def text_of(settings):
    return json.dumps(settings, sort_keys=True)


def asked(question, looks):
    """{cell, as the text of its settings: seeds} that a claim needed which was decided, or given up, at this look."""
    cells = {}
    for group in groups_of(question):
        for cell in group["cells"]:
            key = text_of(group["common"] | cell["settings"])
            cells[key] = max(cells.get(key, 0), seeds_at_look(cell["seeds"], question.get("most", 0), looks))
    return cells


def settings_of(config, defaults):
    """What of a run's configuration is not a default: the cell it belongs to."""
    return text_of({key: value for key, value in config.items() if key in defaults and not key.startswith("seeds.") and value != defaults[key]})


def wanted_runs(members, questions, looks, old_claims):
    """The runs of a study that count for old claims. members: {run: (cell, seed)}; questions and looks by claim."""
    old, all_cells = {}, set()
    for claim, question in questions.items():
        cells = asked(question, looks.get(claim, 1))
        all_cells.update(cells)
        if claim in old_claims:
            for cell, seeds in cells.items():
                old[cell] = max(old.get(cell, 0), seeds)
    return {run for run, (cell, seed) in members.items() if cell not in all_cells or seed < old.get(cell, 0)}


def read(program, studies, old_claims, profile):
    """(the runs wanted by old claims of any study, {study: {run: seconds}} of what each study was the first to train, in this order)"""
    keys = json.loads(subprocess.run([program.atto, "help", "keys", "--json"], check=True, capture_output=True, text=True).stdout)
    defaults = {key["key"]: key["default"] for key in keys}
    store = sqlite3.connect(program.store)
    wanted, spent, seen = set(), {}, set()
    for study in studies:
        members, spent[study] = {}, {}
        for run, seed, config, seconds in store.execute(
            "SELECT m.run_id, m.seed, r.config, coalesce(t.seconds, 0) FROM members m JOIN runs r ON r.id = m.run_id "
            "LEFT JOIN timings t ON t.run_id = r.id WHERE m.study = ? AND m.profile = ?", (study, profile)):
            members[run] = (settings_of(json.loads(config), defaults), seed)
            if run not in seen:
                spent[study][run] = seconds
            seen.add(run)
        rows = store.execute("SELECT claim, text FROM questions WHERE study = ? AND profile = ? ORDER BY position", (study, profile))
        questions = {claim: json.loads(text) for claim, text in rows}
        looks = {claim["claim"]: claim.get("looks") or 1 for claim in program.verdicts(study)}
        has_old = any(claim in old_claims for claim in questions)
        wanted |= wanted_runs(members, questions, looks, old_claims) if has_old else set()
    return wanted, spent


def share(study, wanted, spent, claims, old_claims):
    """The part of a study's time that counts for old claims: that of its runs, or of its claims where it trained nothing."""
    whole = sum(spent[study].values())
    if whole > 0:
        return sum(seconds for run, seconds in spent[study].items() if run in wanted) / whole
    return sum(claim in old_claims for claim in claims) / len(claims) if claims else 0.0
