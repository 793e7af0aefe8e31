#!/usr/bin/env python3
"""Tests that bite: changes one token of the sources at a time and lists the changes that no test notices.

    scripts/mutants.py [--count N] [--seed S] [--layers data network …] [--folder DIR] [--jobs J]

Works in a scratch copy of HEAD (build/mutants), so the working tree stays as it is. Each change is built, then the tests
of its layer run, then those of the layers that see it, up to the first that fails. A change that does not compile is
drawn again: the compiler caught it. What survives is printed with file, line and change, and listed in
build/mutants/survivors.txt. Some survivors change nothing that can be seen (a limit of a cache, the order of a sum):
those are for people to sort out.
"""
import argparse
import os
import pathlib
import random
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Layers whose changes are drawn, with those whose tests see them, nearest first.
SEEN_BY = {
    "data": ["data", "network", "training", "spec", "observe", "lab"],
    "network": ["network", "training", "spec", "observe", "lab"],
    "training": ["training", "spec", "observe", "lab"],
    "theory": ["theory", "spec", "observe", "lab"],
    "observe": ["observe", "lab"],
    "phenomena": ["phenomena", "lab"],
    "lab": ["lab", "report", "app"],
}

# One token for another. Each pair is tried in both directions.
SWAPS = [("<", "<="), (">", ">="), ("==", "!="), ("&&", "||"), ("+", "-"), ("*", "/"), ("+ 1", "+ 2"), ("0.5", "0.25"),
         ("true", "false"), ("std::min", "std::max"), ("begin()", "end()"), ("break", "continue"), ("0", "1"), ("2", "3")]
WORD = re.compile(r"\w")


def strip_texts(line):
    """The line with texts and comments blanked out: changing words of a message is no fault of the program."""
    line = re.sub(r'"(\\.|[^"\\])*"', lambda text: " " * len(text.group()), line)
    return re.sub(r"//.*", lambda comment: " " * len(comment.group()), line)


def places(line):
    """Every (start, old, new) of a line."""
    code = strip_texts(line)
    if code.lstrip().startswith("#") or "static_assert" in code or "template" in code:
        return
    for one, other in SWAPS:
        for old, new in ((one, other), (other, one)):
            for match in re.finditer(re.escape(old), code):
                before, after = code[match.start() - 1:match.start()], code[match.end():match.end() + 1]
                if WORD.match(old[0]) and (WORD.match(before or " ") or before == "."):
                    continue
                if WORD.match(old[-1]) and (WORD.match(after or " ") or after == "."):
                    continue
                if not WORD.match(old[0]) and (before in tuple("<>=&|+-*/!") and before or after in tuple("<>=&|+-*/")
                                               and after or before != " "):
                    continue  # a part of a longer operator, of a template or of a sign
                yield match.start(), old, new


def draw(tree, layers, randomly):
    """A change of a random place: (file, line number, start, old, new)."""
    files = sorted(file for layer in layers for file in (tree / "src" / layer).rglob("*.cpp"))
    while True:
        file = randomly.choices(files, [file.stat().st_size for file in files])[0]
        lines = file.read_text().splitlines()
        number = randomly.randrange(len(lines))
        found = list(places(lines[number]))
        if found:
            return (file, number, *randomly.choice(found))


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


class Trial:
    def __init__(self, tree, jobs):
        self.tree, self.jobs = tree, jobs

    def build(self, target):
        return run(["cmake", "--build", "build", "-j", str(self.jobs), "--target", target], self.tree)

    def verdict(self, change):
        """'invalid', the layer whose tests caught it, or None."""
        file, number, start, old, new = change
        text = file.read_text()
        lines = text.splitlines(keepends=True)
        lines[number] = lines[number][:start] + new + lines[number][start + len(old):]
        layer = file.relative_to(self.tree / "src").parts[0]
        try:
            file.write_text("".join(lines))
            for seer in SEEN_BY[layer]:
                if not self.build(f"test_{seer}"):
                    return "invalid"
                if not run(["ctest", "--test-dir", "build", "--tests-regex", rf"^{seer}\.", "--stop-on-failure",
                            "--timeout", "600"], self.tree):
                    return seer
            return None
        finally:
            file.write_text(text)


def prepare(tree, layers, jobs):
    if not tree.exists():
        subprocess.run(["git", "worktree", "add", "--detach", str(tree), "HEAD"], cwd=ROOT, check=True)
    subprocess.run(["git", "checkout", "--quiet", "--force", "--detach",
                    subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=ROOT, text=True).strip()], cwd=tree, check=True)
    for part in ("web/node_modules", "build/web"):  # what the build of the page needs
        if (ROOT / part).exists() and not (tree / part).exists():
            (tree / part).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(ROOT / part, tree / part)
    subprocess.run(["cmake", "--log-level=WARNING", "--preset", "release", "-DATTO_TESTS=ON"], cwd=tree, check=True)
    for layer in sorted({seer for one in layers for seer in SEEN_BY[one]}):
        if not Trial(tree, jobs).build(f"test_{layer}"):
            sys.exit(f"test_{layer} cannot be built without any change")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", nargs="+", choices=SEEN_BY, default=list(SEEN_BY))
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "build" / "mutants")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    tree = options.folder / "tree"
    options.folder.mkdir(parents=True, exist_ok=True)
    prepare(tree, options.layers, options.jobs)
    randomly, trial, caught, survivors = random.Random(options.seed), Trial(tree, options.jobs), 0, []
    while caught + len(survivors) < options.count:
        change = draw(tree, options.layers, randomly)
        file, number, _, old, new = change
        where = f"{file.relative_to(tree)}:{number + 1}: '{old}' → '{new}'"
        verdict = trial.verdict(change)
        if verdict == "invalid":
            continue
        if verdict is None:
            survivors.append(f"{where}    {file.read_text().splitlines()[number].strip()}")
            print(f"SURVIVED {survivors[-1]}", flush=True)
        else:
            caught += 1
            print(f"caught by {verdict}: {where}", flush=True)
    (options.folder / "survivors.txt").write_text("".join(f"{one}\n" for one in survivors))
    print(f"{caught} of {options.count} caught")


if __name__ == "__main__":
    main()
