"""Includes under src/ point one way, and only the application talks to people.

app -> report -> lab -> phenomena -> observe -> spec -> theory -> training -> network -> data -> math -> kernels -> base
"""

import re
import sys
import tempfile
import unittest
from pathlib import Path

# Each layer may include itself and every layer named before it.
LAYERS = ["base", "kernels", "math", "data", "network", "training", "theory", "spec", "observe", "phenomena", "lab", "report", "app"]

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
PRINTS_OR_EXITS = re.compile(r"\bstd::(cout|cerr|clog)\b|\b(v?f?printf|puts|fputs|putchar|exit|_exit|_Exit|quick_exit|abort)\(")
COMMENT = re.compile(r"//.*")
# Settings of a run that name a kind: they are enums, whose words only the schema compares (base/words.h).
KINDS = ("targets|places|schedule|form|positions|mask|kernel|logits|unembedding|init|mlp|norm|position_bias|gradient|vary")
COMPARED_WORD = re.compile(rf'\.({KINDS})\s*[!=]=\s*"|"\s*[!=]=\s*[\w.]+\.({KINDS})\b')


def include_violation(layer, target):
    """What is wrong with a file of `layer` that includes `target`, or None."""
    other = target.split("/")[0]
    if "/" not in target or other not in LAYERS:
        return f'include "{target}" names no layer; write it as "layer/file.h"'
    if LAYERS.index(other) > LAYERS.index(layer):
        return f'{layer} may not include "{target}": {other} stands above it'
    return None


def violations(src):
    """One "file:line: what is wrong" for every broken rule below the folder `src`."""
    found = []
    for path in sorted(p for p in src.rglob("*") if p.is_file()):
        name = path.relative_to(src)
        layer = name.parts[0]
        if len(name.parts) < 2 or layer not in LAYERS:
            found.append(f"{name}: not in the folder of a layer ({', '.join(LAYERS)})")
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            include = INCLUDE.match(line)
            if include and (problem := include_violation(layer, include[1])):
                found.append(f"{name}:{number}: {problem}")
            if word := COMPARED_WORD.search(COMMENT.sub("", line)):
                found.append(f"{name}:{number}: a kind is an enum, not a word: {word[0]}")
            if layer != "app" and (call := PRINTS_OR_EXITS.search(COMMENT.sub("", line))):
                found.append(f"{name}:{number}: the core never prints and never exits, found {call[0]}")
    return found


class TheSources(unittest.TestCase):
    def test_follow_the_layers(self):
        self.assertTrue(any(SOURCES.rglob("*.cpp")), f"no sources in {SOURCES}")
        self.assertEqual(violations(SOURCES), [])


class TheCheck(unittest.TestCase):
    """The check itself finds made-up violations and lets good files pass."""

    def found_in(self, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, *name.split("__")).with_suffix(".h")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return violations(Path(folder))

    def test_passes_includes_that_point_down(self):
        self.assertEqual(self.found_in(app__main='#include "lab/store/store.h"\n#include "app/terminal/text.h"\n#include <vector>\n'), [])
        self.assertEqual(self.found_in(network__attention='#include "data/task.h"\n#include "base/error.h"\n'), [])

    def test_finds_an_include_that_points_up(self):
        found = self.found_in(data__task='#pragma once\n  #  include "network/config.h"\n')
        self.assertEqual(found, ['data/task.h:2: data may not include "network/config.h": network stands above it'])
        for above, below in zip(LAYERS[1:], LAYERS):
            self.assertEqual(len(self.found_in(**{f"{below}__x": f'#include "{above}/y.h"\n'})), 1, (above, below))

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

    def test_finds_printing_and_exiting_outside_the_application(self):
        self.assertEqual(len(self.found_in(lab__store="std::cerr << 1;\n")), 1)
        self.assertEqual(len(self.found_in(base__x="std::exit(1);\nstd::printf(\"x\");\n")), 2)
        self.assertEqual(self.found_in(base__x='std::snprintf(a, 4, "x");  // never calls exit(1)\n'), [])
        self.assertEqual(self.found_in(app__main="std::cerr << 1; std::exit(1);\n"), [])


if __name__ == "__main__":
    SOURCES = Path(sys.argv.pop(1)) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "src"
    unittest.main()
