"""What the parts of a training cost: an update by each optimizer, and a step with each setting against one without it."""
import measure
import shapes

OPTIMIZERS = {
    "adam": {}, "adamw": {"training.weight_decay": 0.1}, "sgd": {"training.momentum": 0.9},
    "nesterov": {"training.momentum": 0.9}, "signsgd": {"training.momentum": 0.9}, "lion": {"training.weight_decay": 0.1},
    "muon": {"training.momentum": 0.95},
}
STEPS = {
    "weight_decay": {"training.weight_decay": 0.1},
    "clip": {"training.clip": 1e-6},
    "frozen": {"training.frozen": '["W_E"]'},
    "rates": {"training.rates": '{"layer.*.query"=0.5}'},
    "embedding_noise": {"training.embedding_noise": 0.1},
    "fresh_embeddings": {"training.fresh_embeddings": True},
    "intervention": {"training.intervention": '[{from_flat=1e-9,freeze=["W_E"]}]'},
}
# What all cases of a group share, and its vocabulary, width, context and batch.
GROUPS = {
    "one head": ({}, (100, 2, 4, 512)),
    "4 heads, 2 layers": ({"network.heads": 4, "network.layers": 2, "network.output": True, "network.residual": True},
                          (64, 64, 32, 64)),
}


def update_rows(engine, rounds, seconds):
    """Nanoseconds an update takes for each weight. At rate 0 nothing moves, and so nothing runs away."""
    found = []
    for group, (common, sizes) in GROUPS.items():
        for name, settings in OPTIMIZERS.items():
            part = f"{name}-{sizes[1]}"
            shapes.name_part(engine, part, {**common, "training.optimizer": name, "training.rate": 0, **settings})
            answers = [[float(word) for word in engine.ask("update", part, *sizes, seconds)] for _ in range(rounds)]
            microseconds, weights = min(answers)
            found.append({"case": shapes.name_of((group, *sizes)), "optimizer": name, "us_per_update": microseconds,
                          "weights": int(weights), "ns_per_weight": 1e3 * microseconds / weights})
    return found


def step_rows(engine, rounds, seconds):
    """Microseconds a step with each setting, in turns with the step without it."""
    found = []
    for group, (common, sizes) in GROUPS.items():
        shapes.name_part(engine, f"without-{sizes[1]}", common)
        for name, settings in STEPS.items():
            shapes.name_part(engine, f"{name}-{sizes[1]}", {**common, **settings})
            without, time = measure.best_of(rounds, *(lambda part=part: engine.number("step", part, *sizes, seconds)
                                                      for part in (f"without-{sizes[1]}", f"{name}-{sizes[1]}")))
            found.append({"case": shapes.name_of((group, *sizes)), "setting": name, "us_per_step": time, "without_us_per_step": without,
                          "ratio": time / without})
    return found


def print_rows(updates, steps):
    print(f"\n{'optimizer':<18}{'case':<40}{'us/update':>11}{'weights':>10}{'ns/weight':>11}")
    for row in updates:
        print(f"{row['optimizer']:<18}{row['case']:<40}{row['us_per_update']:>11.2f}{row['weights']:>10}{row['ns_per_weight']:>11.2f}")
    print(f"\n{'training setting':<18}{'case':<40}{'us/step':>11}{'without':>10}{'ratio':>11}")
    for row in steps:
        print(f"{row['setting']:<18}{row['case']:<40}{row['us_per_step']:>11.2f}{row['without_us_per_step']:>10.2f}{row['ratio']:>11.2f}")
