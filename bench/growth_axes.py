"""Along which sizes `make growth` looks, and how the cost should grow there."""
import dataclasses
import typing

import shapes
import transformers


@dataclasses.dataclass(frozen=True)
class Axis:
    name: str
    title: str
    sizes: typing.Tuple[int, ...]
    case: str                             # what stays the same
    shape: typing.Callable                # size -> (part, V, d, C, B)
    expected: typing.Tuple[float, float]  # the exponent's region on the upper half of the range
    why: str


def stack(full_layers):
    """A transformer of so many layers that compute every position, and the last one, which answers at one alone."""
    return f"stack-{full_layers}"


AXES = (
    Axis("vocabulary", "vocabulary V", (8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096), "d = 2, C = 4, batch 512",
         lambda v: ("plain", v, 2, 4, 512), (0.9, 1.1), "every logit costs the same"),
    Axis("width", "width d", (2, 4, 8, 16, 32, 64, 128), "V = 100, C = 4, batch 512",
         lambda d: ("plain", 100, d, 4, 512), (0.5, 2.0), "logits grow as d, the three products as d²"),
    Axis("context", "context C", (4, 8, 16, 32, 64, 128, 256), "V = 10, d = 2, batch 512",
         lambda c: ("plain", 10, 2, c, 512), (0.9, 1.1), "one query sees C keys"),
    Axis("batch", "batch", (64, 128, 256, 512, 1024, 2048, 4096), "V = 10, d = 2, C = 4",
         lambda b: ("plain", 10, 2, 4, b), (0.9, 1.1), "samples are independent"),
    Axis("layers", "full layers", (1, 2, 3, 4, 6, 8), "transformer, d = C = 32, batch 32",
         lambda n: (stack(n), 2, 32, 32, 32), (0.9, 1.1), "the last layer answers at one position and costs little"),
)
RUNS = (32, 64, 128, 256, 512, 1024, 2048)
RUNS_EXPECTED = (0.9, 1.1)
RUNS_SHAPE, RUNS_STEPS = ("plain", 10, 2, 4, 128), 200


def name_stacks(engine):
    """Tells the engine what the transformers of that axis are."""
    for full_layers in next(axis for axis in AXES if axis.name == "layers").sizes:
        shapes.name_part(engine, stack(full_layers), {**transformers.SETTINGS["regression"], "network.layers": full_layers + 1})
