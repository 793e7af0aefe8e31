"""Includes under src/ point one way, between layers and between the rooms of a layer, and only the application talks to people.

app -> serve -> report -> live -> lab -> phenomena -> observe -> spec -> theory -> training -> network -> data -> math -> kernels -> base
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

# Each layer may include itself and every layer named before it.
LAYERS = ["base", "kernels", "math", "data", "network", "training", "theory", "spec", "observe", "phenomena", "lab", "live", "report", "serve", "app"]

# The rooms (subfolders) of a folder, the lowest first. A room may include itself and those of earlier lines; rooms of one
# line keep apart. The files beside the rooms are their hall: its headers are for every room, so they include none, and its
# .cpp files may include all, to put them together.
ROOMS = {
    "kernels": [["simd"], ["common"], ["narrow", "wide"]],
    "math": [["expression"]],
    "data": [["files"], ["tasks"]],
    "network": [["layers"], ["attention", "losses"]],
    "training": [["optimizers"]],
    "observe": [["observables"]],
    "phenomena": [["outcomes", "detectors"], ["laws"], ["claims"]],
    "lab": [["study"], ["store"], ["sweep"], ["provenance"], ["results"], ["explore", "cluster"], ["figures"]],
    "lab/store": [["disk"], ["check", "merge"]],
    "lab/figures": [["geometry", "vega"], ["panels"], ["numbers"], ["kinds"]],
    "serve": [["http"], ["sessions", "library"], ["api"]],
    "app": [["terminal", "export", "render"], ["cluster"], ["verbs"]],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
PRINTS_OR_EXITS = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(v?f?printf|puts|fputs|putchar|exit|_exit|_Exit|quick_exit|abort)\(")
COMMENT = re.compile(r"//.*")
# Settings of a run that name a kind: they are enums, whose words only the schema compares (base/words.h).
KINDS = ("targets|places|schedule|form|positions|mask|kernel|logits|unembedding|init|mlp|norm|position_bias|gradient|vary")
COMPARED_KIND = re.compile(rf'\.({KINDS})\s*[!=]=\s*"|"\s*[!=]=\s*[\w.]+\.({KINDS})\b')
# The words of an enum, and a comparison with any word. What is compared may be the name of an open set, or JSON.
ENUM_WORDS = re.compile(r"\barray words\{([^}]*)\}")
WORD = re.compile(r'"([^"]*)"')
COMPARED_WORD = re.compile(r'([\w.\]")>]+)\s*[!=]=\s*"([^"]*)"|"([^"]*)"\s*[!=]=\s*([\w.]+)')
OPEN_NAME = re.compile(r'(\b(quantity|detector_name|address|noun|task|optimizer|key|topic|verb)|"\])$')


def rank(folder, room):
    """The line of ROOMS that a room stands in, or None."""
    return next((i for i, line in enumerate(ROOMS.get(folder, [])) if room in line), None)


def room_violation(name, target):
    """What is wrong with the file `name` that includes `target` of its own layer, or None."""
    here, there = name.parent.parts, Path(target).parent.parts
    shared = 0
    while shared < min(len(here), len(there)) and here[shared] == there[shared]:
        shared += 1
    folder = "/".join(here[:shared])
    if shared == len(there):
        return None  # a header of a hall that the file stands in, or behind
    if shared == len(here):
        if name.suffix == ".cpp":
            return None
        return f'a header beside the rooms of {folder} may not include "{target}": the rooms stand above it'
    mine, other = rank(folder, here[shared]), rank(folder, there[shared])
    if mine is None or other is None or other < mine:
        return None  # an unknown room is found by itself
    why = "they keep apart" if mine == other else f"{there[shared]} stands above it"
    return f'{folder}/{here[shared]} may not include "{target}": {why}'


def include_violation(name, target):
    """What is wrong with the file `name` (below src/) that includes `target`, or None."""
    layer, other = name.parts[0], target.split("/")[0]
    if "/" not in target or other not in LAYERS:
        return f'include "{target}" names no layer; write it as "layer/file.h"'
    if LAYERS.index(other) > LAYERS.index(layer):
        return f'{layer} may not include "{target}": {other} stands above it'
    return room_violation(name, target) if other == layer else None


def unknown_room(name):
    """The folder of the file that ROOMS does not know, or None."""
    parts = name.parent.parts
    for depth in range(1, len(parts)):
        if rank("/".join(parts[:depth]), parts[depth]) is None:
            return "/".join(parts[: depth + 1])
    return None


def words_of_kinds(src):
    """Every word that stands next to an enum below the folder `src`."""
    texts = (path.read_text(encoding="utf-8") for path in src.rglob("*.[ch]*"))
    return {word for text in texts for listed in ENUM_WORDS.findall(text) for word in WORD.findall(listed)}


def compared_kind(line, kinds):
    """The comparison of a kind with a word in a line of code, or None. `kinds` are the words of all enums."""
    if setting := COMPARED_KIND.search(line):
        return setting[0]
    for match in COMPARED_WORD.finditer(line):
        name, word = (match[1], match[2]) if match[1] else (match[4], match[3])
        if word in kinds and not OPEN_NAME.search(name):
            return match[0]
    return None


def violations(src):
    """One "file:line: what is wrong" for every broken rule below the folder `src`."""
    found = []
    kinds = words_of_kinds(src)
    for path in sorted(p for p in src.rglob("*") if p.is_file()):
        name = path.relative_to(src)
        layer = name.parts[0]
        if len(name.parts) < 2 or layer not in LAYERS:
            found.append(f"{name}: not in the folder of a layer ({', '.join(LAYERS)})")
            continue
        if room := unknown_room(name):
            found.append(f"{name}: {room} is not in the list of rooms (ROOMS)")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            if include and (problem := include_violation(name, include[1])):
                found.append(f"{name}:{number}: {problem}")
            if comparison := compared_kind(COMMENT.sub("", line), kinds):
                found.append(f"{name}:{number}: a kind is an enum, not a word: {comparison}")
            if layer != "app" and (call := PRINTS_OR_EXITS.search(COMMENT.sub("", line))):
                found.append(f"{name}:{number}: the core never prints and never exits, found {call[0]}")
    return found


class TheSources(unittest.TestCase):
    def test_follow_the_layers(self):
        self.assertTrue(any(SOURCES.rglob("*.cpp")), f"no sources in {SOURCES}")
        self.assertEqual(violations(SOURCES), [])


class TheCheck(unittest.TestCase):
    """The check itself finds made-up violations and lets good files pass."""

    def found_in(self, suffix=".h", **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, *name.split("__")).with_suffix(suffix)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return violations(Path(folder))

    def test_passes_includes_that_point_down(self):
        self.assertEqual(self.found_in(app__main='#include "lab/store/store.h"\n#include "app/options.h"\n#include <vector>\n'), [])
        self.assertEqual(self.found_in(network__attention='#include "data/task.h"\n#include "base/error.h"\n'), [])

    def test_finds_an_include_that_points_up(self):
        found = self.found_in(data__task='#pragma once\n  #  include "network/config.h"\n')
        self.assertEqual(found, ['data/task.h:2: data may not include "network/config.h": network stands above it'])
        for above, below in zip(LAYERS[1:], LAYERS):
            self.assertEqual(len(self.found_in(**{f"{below}__x": f'#include "{above}/y.h"\n'})), 1, (above, below))

    def test_passes_includes_of_lower_rooms_and_of_the_hall(self):
        self.assertEqual(self.found_in(lab__figures__kinds__x='#include "lab/figures/numbers/y.h"\n#include "lab/figures/figure.h"\n'), [])
        self.assertEqual(self.found_in(lab__figures__x='#include "lab/results/y.h"\n#include "lab/figures/z.h"\n'), [])
        self.assertEqual(self.found_in(lab__store__x='#include "lab/study/study.h"\n#include "lab/store/y.h"\n'), [])
        self.assertEqual(self.found_in(app__x='#include "lab/figures/kinds/y.h"\n'), [], "rooms bind their own layer only")

    def test_finds_an_include_of_a_room_above(self):
        found = self.found_in(lab__study__x='#include "lab/figures/figure.h"\n')
        self.assertEqual(found, ['lab/study/x.h:1: lab/study may not include "lab/figures/figure.h": figures stands above it'])
        self.assertEqual(len(self.found_in(suffix=".cpp", lab__study__x='#include "lab/figures/figure.h"\n')), 1)
        self.assertEqual(len(self.found_in(lab__results__x='#include "lab/figures/vega/spec.h"\n')), 1)
        for folder, lines in ROOMS.items():
            for below, above in zip(lines, lines[1:]):
                name = folder.replace("/", "__")
                self.assertEqual(len(self.found_in(**{f"{name}__{below[0]}__x": f'#include "{folder}/{above[0]}/y.h"\n'})), 1, (folder, above))

    def test_finds_an_include_between_rooms_that_keep_apart(self):
        self.assertEqual(len(self.found_in(kernels__narrow__x='#include "kernels/wide/y.h"\n')), 1)
        self.assertEqual(len(self.found_in(kernels__wide__x='#include "kernels/narrow/y.h"\n')), 1)

    def test_a_hall_puts_rooms_together_in_its_sources_only(self):
        line = '#include "lab/figures/vega/spec.h"\n'
        self.assertEqual(self.found_in(suffix=".cpp", lab__figures__figure=line), [])
        self.assertEqual(len(self.found_in(lab__figures__figure=line)), 1)

    def test_finds_an_unknown_room(self):
        self.assertEqual(len(self.found_in(lab__cellar__x="")), 1)
        self.assertEqual(len(self.found_in(base__cellar__x="")), 1)

    def test_finds_an_unknown_folder(self):
        self.assertEqual(len(self.found_in(helpers__misc="")), 1)
        self.assertEqual(len(self.found_in(loose="")), 1)

    def test_finds_an_include_without_a_layer(self):
        self.assertEqual(len(self.found_in(lab__store='#include "study.h"\n')), 1)
        self.assertEqual(len(self.found_in(lab__store='#include "../data/task.h"\n')), 1)

    def test_finds_kinds_compared_as_words(self):
        self.assertEqual(len(self.found_in(lab__x='if (config.network.mask == "causal") return;\n')), 1)
        self.assertEqual(len(self.found_in(lab__x='if ("full" != config.network.mask) return;\n')), 1)
        self.assertEqual(self.found_in(lab__x='if (config.network.mask == Mask::causal) return;\n'), [])

    def test_finds_the_words_of_any_enum(self):
        words = 'struct EnumWords<Scale> {\n  static constexpr std::array words{"linear",\n "log"};\n};\n'
        self.assertEqual(len(self.found_in(lab__x=words, report__y='if (scale_ == "log") return;\n')), 1)
        self.assertEqual(len(self.found_in(lab__x=words, app__y='return "linear" != scale(x);\n')), 1)
        self.assertEqual(self.found_in(lab__x=words, lab__y='if (scale_ == "other") return;\n'), [])
        self.assertEqual(self.found_in(lab__x=words, lab__y='if (scale_ == Scale::log) return;\n'), [])
        self.assertEqual(self.found_in(lab__x=words, lab__y='if (found.quantity == "log") return;\n'), [], "an open name")
        self.assertEqual(self.found_in(lab__x=words, lab__y='if (axis["scale"]["type"] == "log") return;\n'), [], "JSON")

    def test_finds_printing_and_exiting_outside_the_application(self):
        self.assertEqual(len(self.found_in(lab__store="std::cerr << 1;\n")), 1)
        self.assertEqual(len(self.found_in(base__x="std::exit(1);\nstd::printf(\"x\");\n")), 2)
        self.assertEqual(self.found_in(base__x='std::snprintf(a, 4, "x");  // never calls exit(1)\n'), [])
        self.assertEqual(self.found_in(app__main="std::cerr << 1; std::exit(1);\n"), [])


if __name__ == "__main__":
    SOURCES = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "src"
    unittest.main()
