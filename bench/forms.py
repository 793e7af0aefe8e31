"""Forms of attention against dot-product attention: the same network and data, with one setting more."""
import measure
import shapes

GOAL = 1.5  # times the step of dot-product attention

FORMS = {
    "one added to the sum": {"network.normalizer": "softmax-plus-one"},
    "sink": {"network.normalizer": "sink"},
    "sigmoid": {"network.normalizer": "sigmoid"},
    "linear": {"network.normalizer": "linear"},
    "linear-mean": {"network.normalizer": "linear-mean"},
    "rotary": {"network.positions": "rotary"},
    "earlier": {"network.mask": "earlier"},
    "qk_norm": {"network.qk_norm": True},
    "gate": {"network.gate": True},
    "distance": {"network.kernel": "distance"},
    "inverse": {"network.kernel": "inverse"},
    "inverse, sigmoid": {"network.kernel": "inverse", "network.normalizer": "sigmoid"},
    "all but the kernel": {"network.normalizer": "sink", "network.positions": "rotary", "network.mask": "earlier",
                           "network.qk_norm": True, "network.gate": True},
}
# What all forms of a group share, and its vocabulary, width, context and batch.
GROUPS = {
    "one head": ({}, (100, 2, 4, 512)),
    "4 heads, 2 layers": ({"network.heads": 4, "network.layers": 2, "network.output": True, "network.residual": True},
                          (64, 64, 32, 64)),
}


def rows(engine, rounds, seconds):
    """Microseconds a step of every form, and its ratio to dot-product attention, measured in turns with it."""
    found, count = [], 0
    for group, (common, sizes) in GROUPS.items():
        case = shapes.name_of((group, *sizes))
        for form, settings in FORMS.items():
            # The engine keeps the network of a part's name, so each has a name of its own.
            count += 1
            parts = (f"dot{count}", f"form{count}")
            for part, more in zip(parts, ({}, settings)):
                shapes.name_part(engine, part, {**common, **more})
            dot, time = measure.best_of(rounds, *(lambda part=part: engine.number("step", part, *sizes, seconds)
                                                  for part in parts))
            found.append({"case": case, "form": form, "us_per_step": time, "dot_us_per_step": dot, "ratio": time / dot})
    return found


def print_rows(found):
    print(f"\n{'form of attention':<22}{'case':<46}{'us/step':>11}{'dot product':>13}{'ratio':>8}")
    for row in found:
        print(f"{row['form']:<22}{row['case']:<46}{row['us_per_step']:>11.2f}{row['dot_us_per_step']:>13.2f}{row['ratio']:>8.2f}")


def missed_goals(found):
    return [f"{row['form']}, {row['case']}: {row['ratio']:.2f} times dot-product attention, goal {GOAL}" for row in found
            if row["ratio"] > GOAL]
