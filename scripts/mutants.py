#!/usr/bin/env python3
"""Tests that bite: changes one token of the sources at a time and lists the changes that no test notices.

    scripts/mutants.py [--count N] [--seed S] [--layers data network …] [--quick]
    scripts/mutants.py --at src/lab/sweep/forecast.cpp:31     every change of that line
    scripts/mutants.py --again                                those that survived before
    scripts/mutants.py --commit abc1234 --skip 28             the draw of an earlier commit, from its 29th change on

Works on top of the build of the tests, which it leaves as it is. The changed file is compiled by itself into
build/mutants and linked before the libraries, where it counts instead of theirs: a change costs one small file, the
programs that test it, and the tests up to the first that fails. Tests of the changed file come first, then quick ones of
its folder, its layer and the layers that see it, then slow ones; --quick leaves out the slow ones, --own the other
layers. What survives is tried with its whole group of files (cmake/unity.cmake), since there the compiler may have
copied a function into another; --quick leaves that out as well, and --again tries what survived it with all tests. A
change that does not compile is drawn again: the compiler caught it. Each verdict is noted in
build/mutants/journal.jsonl, so a run that was stopped goes on where it was. Some survivors change nothing that can be
seen (a limit of a cache, the order of a sum): those are for people to sort out.

A draw depends on the seed and on the sizes of all sources, so after any edit it is another one: --commit draws from the
sources as they were, and tries what is still there. It is the same whatever the layers, which choose from it.
"""
import argparse
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"

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
WORD = re.compile(r"[\w']")  # digits are grouped by apostrophes

SLOW = 0.3  # seconds of a test that is left for later
FASTER = ["-fuse-ld=gold"] if shutil.which("ld.gold") else []
MOST_MEMORY = 8 << 30  # of a test: a change may ask for all there is


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
                if not WORD.match(old[0]) and (before != " " or after not in ("", " ")):
                    continue  # a part of a longer operator, of a template, a sign or a pointer
                if '"' in (line[:match.start()].rstrip()[-1:], line[match.end():].lstrip()[:1]):
                    continue  # between texts, where the compiler knows one operator only
                yield match.start(), old, new


class Change:
    """One token of one line. Known by its text and how many lines above are like it, so that it is found when it moves."""

    def __init__(self, file, number, start, old, new, text, same):
        self.file, self.number, self.start, self.old, self.new, self.text = file, number, start, old, new, text
        self.same = same

    @property
    def key(self):
        place = self.start - (len(self.text) - len(self.text.lstrip()))
        return f"{self.file}|{self.text.strip()}|{place}|{self.old}|{self.new}" + (f"|{self.same}" if self.same else "")

    @property
    def layer(self):
        return self.file.split("/")[1]

    def __str__(self):
        return f"{self.file}:{self.number + 1}: '{self.old}' → '{self.new}'    {self.text.strip()}"


def changes_of(tree, file, number):
    lines = (tree / file).read_text().splitlines()
    text = lines[number]
    same = sum(line.strip() == text.strip() for line in lines[:number])
    return [Change(file, number, *place, text, same) for place in places(text)]


def draw(tree, randomly):
    """A change of a random place."""
    files = sorted(file for layer in SEEN_BY for file in (tree / "src" / layer).rglob("*.cpp"))
    while True:
        file = randomly.choices(files, [file.stat().st_size for file in files])[0]
        found = changes_of(tree, str(file.relative_to(tree)), randomly.randrange(len(file.read_text().splitlines())))
        if found:
            return randomly.choice(found)


def drawn(tree, options):
    """The changes of these layers in the order of the draw, none twice."""
    randomly, seen = random.Random(options.seed), set()
    while True:
        change = draw(tree, randomly)
        if change.key not in seen:
            seen.add(change.key)
            if change.layer in options.layers:
                yield change


def find_again(tree, key):
    """The change of that key, or None where its line is gone."""
    file, _, within = key.partition("|")
    if not (tree / file).exists():  # it may have moved to another folder of its layer
        layer = tree.joinpath(*pathlib.Path(file).parts[:2])
        moved = [str(one.relative_to(tree)) for one in layer.rglob(pathlib.Path(file).name)]
        if len(moved) != 1:
            return None
        file = moved[0]
    for number in range(len((tree / file).read_text().splitlines())):
        for change in changes_of(tree, file, number):
            if change.key == f"{file}|{within}":
                return change
    return None


def sources_at(commit, folder):
    """A tree with the sources of that commit."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    packed = subprocess.check_output(["git", "archive", commit, "src"], cwd=ROOT)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=packed, check=True)
    return folder


class Bench:
    """The build of the tests, and how long each of them takes without any change."""

    def __init__(self, folder, options):
        self.folder, self.tests, self.links = folder, {}, {}
        self.quick, self.own = options.quick, options.own
        self.scratch = folder / "tmp"
        self.scratch.mkdir(parents=True, exist_ok=True)
        commands = {one["file"]: one for one in json.loads((BUILD / "compile_commands.json").read_text())}
        self.compiled = {}  # (the file that is compiled, its command) of each source
        for file, one in commands.items():
            words = shlex.split(one["command"])
            while pathlib.Path(words[0]).name in ("cmake", "-E", "env", "ccache") or "=" in words[0]:
                words.pop(0)  # no cache for what is compiled once
            if "/Unity/" not in file:
                self.compiled[file] = (file, words)
            else:
                for source in re.findall(r'#include "([^"]+)"', pathlib.Path(file).read_text()):
                    self.compiled[source] = (file, words)

    def seers(self, layer):
        return [layer] if self.own else SEEN_BY[layer]

    def prepare(self, layers):
        seers = sorted({seer for one in layers for seer in self.seers(one)})
        programs = [*(["atto"] if "app" in seers else []), *(f"test_{one}" for one in seers)]
        subprocess.run(["cmake", "--build", str(BUILD), "--target", *programs], check=True)
        for name in programs:
            told = subprocess.check_output(["ninja", "-C", str(BUILD), "-t", "commands", name], text=True)
            self.links[name] = re.search(r"^: && (.*) && :$", told.splitlines()[-1]).group(1)
        for seer in seers:
            self.tests[seer] = self.time(seer)

    def compile(self, change, whole):
        """Whether the changed file compiles, alone or with its group."""
        source = ROOT / change.file
        lines = source.read_text().splitlines(keepends=True)
        line = lines[change.number]
        lines[change.number] = line[:change.start] + change.new + line[change.start + len(change.old):]
        changed = self.folder / "changed.cpp"
        changed.write_text("".join(lines))
        file, words = self.compiled[str(source)]
        if whole:
            group = pathlib.Path(file).read_text()
            (self.folder / "group.cpp").write_text(group.replace(f'"{source}"', f'"{changed}"'))
            changed = self.folder / "group.cpp"
        words = [*words]
        words[words.index("-o") + 1] = str(self.folder / "changed.o")
        words[words.index("-c") + 1] = str(changed)
        return succeeds(words)

    def link(self, name):
        """The program with the changed file, in build/mutants."""
        words = shlex.split(self.links[name])
        words[words.index("-o") + 1] = str(self.folder / name)
        words[1:1] = [*FASTER, "-Wl,-z,muldefs", str(self.folder / "changed.o")]
        if not succeeds(words):
            sys.exit(f"{name} cannot be linked with a changed file: {shlex.join(words)}")

    def time(self, layer):
        """[(name, file, seconds)] of the layer's tests, each measured once."""
        program = BUILD / "tests" / f"test_{layer}"
        known = self.folder / f"times-{layer}.json"
        kept = {test[0]: test for test in json.loads(known.read_text())} if known.exists() else {}
        listed = tests_of(program)
        if new := [name for name in listed if name not in kept]:
            told = self.folder / "told.json"
            begin, worked = time.monotonic(), processor_seconds()
            if not self.run(program, [self.only(new), f"--gtest_output=json:{told}"], None):
                sys.exit(f"the tests of {layer} fail without any change")
            # On a busy machine every test seems slow.
            share = min(1, (processor_seconds() - worked) / (time.monotonic() - begin))
            for suite in json.loads(told.read_text())["testsuites"]:
                for test in suite["testsuite"]:
                    name, file = f"{suite['name']}.{test['name']}", os.path.relpath(BUILD / test["file"], ROOT)
                    kept[name] = [name, file, float(test["time"].rstrip("s")) * share]
        tests = [kept[name] for name in listed if name in kept]
        known.write_text(json.dumps(tests))
        return tests

    def only(self, names):
        """The option by which a program runs these tests: there may be more than a command takes."""
        filters = self.folder / "filter.txt"
        filters.write_text("--gtest_filter=" + ":".join(names) + "\n")
        return f"--gtest_flagfile={filters}"

    def run(self, program, words, seconds):
        """Whether those tests pass, in `seconds` of processor time."""
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if seconds:
                resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))

        environment = dict(os.environ, TEST_TMPDIR=str(self.scratch), RC_PARAMS="seed=1")
        if seconds:
            environment["ATTO_BINARY"] = str(self.folder / "atto")
        try:
            return subprocess.run([str(program), "--gtest_brief=1", *words], cwd=self.scratch, env=environment,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=limit,
                                  timeout=120 + 40 * seconds if seconds else None).returncode == 0
        except subprocess.TimeoutExpired:  # waits for ever
            return False

    def some_fail(self, layer, tests):
        if not tests:
            return False
        return not self.run(self.folder / f"test_{layer}",
                            [self.only([name for name, _, _ in tests]), "--gtest_fail_fast"],
                            20 + 5 * sum(seconds for _, _, seconds in tests))

    def who_notices(self, change):
        """The layer whose tests fail with what was compiled last, or None."""
        folder = pathlib.Path(change.file).parent.parts[1:]
        for slow in (False, True):
            for seer in self.seers(change.layer):
                if not slow:
                    self.link(f"test_{seer}")
                    if seer == "app":
                        self.link("atto")
                # Those of the file, then those of its folder, then the others.
                near = [[], [], []]
                for test in self.tests[seer]:
                    at = pathlib.Path(test[1])
                    if (test[2] >= SLOW) == slow:
                        own = at.stem == pathlib.Path(change.file).stem + "_test"
                        near[0 if own else 1 if at.parent.parts[1:] == folder else 2].append(test)
                if any(self.some_fail(seer, group) for group in near):
                    return seer
            if self.quick:
                break
        return None

    def verdict(self, change):
        """'invalid', the layer whose tests caught it, or None."""
        grouped = self.compiled[str(ROOT / change.file)][0] != str(ROOT / change.file)
        if not self.compile(change, whole=False):
            return "invalid"
        told = self.who_notices(change)
        if told is None and grouped and not self.quick and self.compile(change, whole=True):
            told = self.who_notices(change)
        return told


def tests_of(program):
    names, suite = [], ""
    for line in subprocess.check_output([str(program), "--gtest_list_tests"], text=True).splitlines():
        name = line.split("#")[0].rstrip()
        if not line.startswith(" "):
            suite = name
        else:
            names.append(suite + name.strip())
    return names


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def succeeds(words):
    return subprocess.run(words, cwd=BUILD, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def chosen(options, journal):
    """The changes to try, one after the other."""
    if options.at:
        for place in options.at:
            file, _, number = place.rpartition(":")
            yield from changes_of(ROOT, file, int(number) - 1)
    elif options.again:
        for key in [key for key, told in journal.items() if told is None]:
            change = find_again(ROOT, key)
            if change and change.layer in options.layers:
                yield change
    else:
        tree = sources_at(options.commit, BUILD / "mutants" / "drawn") if options.commit else ROOT
        for change in itertools.islice(drawn(tree, options), options.skip, None):
            if found := find_again(ROOT, change.key):
                yield found
            else:
                print(f"gone since: {change}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--layers", nargs="+", choices=SEEN_BY, default=list(SEEN_BY), help="only changes of these")
    parser.add_argument("--skip", type=int, default=0, help="leave out so many of them, compiled or not")
    parser.add_argument("--commit", help="draw from the sources of this commit")
    parser.add_argument("--at", nargs="+", metavar="FILE:LINE", help="every change of these lines instead")
    parser.add_argument("--again", action="store_true", help="those that survived before instead")
    parser.add_argument("--quick", action="store_true", help=f"only tests below {SLOW:g} s")
    parser.add_argument("--own", action="store_true", help="only tests of the layer that is changed")
    parser.add_argument("--minutes", type=float, help="stop after the change that is tried then")
    options = parser.parse_args()
    begin = time.monotonic()
    folder = BUILD / "mutants"
    bench = Bench(folder, options)
    bench.prepare({place.split("/")[1] for place in options.at} if options.at else options.layers)
    notes = folder / "journal.jsonl"
    journal = {}
    if notes.exists():
        for line in notes.read_text().splitlines():
            told = json.loads(line)
            journal[told["change"]] = told["verdict"]
    caught, survivors = 0, []
    for change in chosen(options, journal):
        if caught + len(survivors) >= options.count or (options.minutes and time.monotonic() - begin > 60 * options.minutes):
            break
        known = change.key in journal and not options.again and not options.at
        told = journal[change.key] if known else bench.verdict(change)
        if not known:
            with open(notes, "a") as out:
                out.write(json.dumps({"change": change.key, "verdict": told}) + "\n")
        if told == "invalid":
            continue
        if told is None:
            survivors.append(str(change))
            print(f"SURVIVED {change}", flush=True)
        else:
            caught += 1
            if not known:
                print(f"caught by {told}: {change}", flush=True)
    if not options.at:
        (folder / "survivors.txt").write_text("".join(f"{one}\n" for one in survivors))
    print(f"{caught} of {caught + len(survivors)} caught in {(time.monotonic() - begin) / 60:.0f} min")


if __name__ == "__main__":
    main()
