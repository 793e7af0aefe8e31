"""What `make bench` measures, and the goals."""
import transformers

# part (bench_steps.cpp, transformers.py), vocabulary, width, context, batch; the vocabulary means nothing to toy and regression.
SHAPES = (
    ("plain", 4, 2, 4, 128),
    ("plain", 10, 2, 4, 512),
    ("plain", 100, 2, 4, 128),
    ("plain", 100, 2, 4, 512),
    ("plain", 100, 10, 4, 512),
    ("plain", 100, 10, 100, 512),
    ("distance", 100, 2, 4, 512),
    ("inverse", 100, 2, 4, 512),
    ("harmonic", 100, 2, 4, 512),
    ("unigram", 100, 2, 4, 128),
    ("unigram", 101, 2, 10, 128),
    ("positions", 30, 2, 4, 512),
    ("set", 100, 2, 4, 512),      # drawn once, in a new order every epoch
    ("chain", 100, 2, 4, 512),    # given transitions
    ("table", 100, 2, 4, 512),    # weighed rows
    ("formula", 100, 2, 4, 512),  # answers looked up
    ("computed", 100, 2, 4, 512),  # answers computed
    ("toy", 2, 256, 256, 32),  # free scores on regression, T = d = 256
    ("regression", 2, 32, 32, 32),
    ("regression", 2, 64, 64, 32),
    ("regression", 2, 128, 128, 32),
    ("regression", 2, 256, 256, 32),
    ("recall", 32, 32, 17, 128),
)
SHAPE_KEYS = ("part", "vocab", "width", "context", "batch")

TINY_WIDTH, WIDE_WIDTH = 4, 128
ROOFLINE_GOAL = 0.6      # share of the roofline, networks up to the tiny width
PEAK_GOAL = 0.6          # share of the peak in multiply-adds, transformers from the wide width on
THREADS_GOAL = 1.9       # two threads against one on a sweep
DRAWN = ("set", "chain", "table", "formula", "computed")  # parts that differ from the plain network in their data alone
DRAWING_GOAL = 0.3       # share of their step that drawing may take
OBSERVATION_GOAL = 0.02  # share of a run that measuring may take at the default schedule


def name_of(shape):
    part, vocab, width, context, batch = shape
    return f"{part} V={vocab} d={width} C={context} B={batch}"


def name_part(engine, part, settings):
    """Tells the engine of a part that is described here and not there, by keys of a study."""
    words = {key: str(value).lower() if isinstance(value, bool) else value for key, value in settings.items()}
    engine.ask("part", part, *(f"{key}={word}" for key, word in words.items()))


def name_parts(engine):
    for part, settings in transformers.SETTINGS.items():
        name_part(engine, part, settings)


def missed_goals(rows):
    """One line for each goal that a case misses."""
    missed = []
    for row in rows:
        name, share, peak_share = row["case"], row["roofline_share"], row.get("peak_share")
        if (row.get("drawing_share") or 0) > DRAWING_GOAL:
            missed.append(f"{name}: drawing takes {row['drawing_share']:.0%} of a step, goal {DRAWING_GOAL:.0%}")
        if row["width"] <= TINY_WIDTH and share < ROOFLINE_GOAL and row.get("part") not in DRAWN:
            missed.append(f"{name}: {share:.0%} of the roofline, goal {ROOFLINE_GOAL:.0%}")
        if peak_share is not None and row["width"] >= WIDE_WIDTH and peak_share < PEAK_GOAL:
            missed.append(f"{name}: {peak_share:.0%} of the peak in multiply-adds, goal {PEAK_GOAL:.0%}")
        if row["two_thread_speedup"] is not None and row["two_thread_speedup"] < THREADS_GOAL:
            missed.append(f"{name}: two threads {row['two_thread_speedup']:.2f} times as fast as one, goal {THREADS_GOAL}")
        if row["observation_cost"] is not None and row["observation_cost"] > OBSERVATION_GOAL:
            missed.append(f"{name}: observing takes {row['observation_cost']:.1%}, goal {OBSERVATION_GOAL:.0%}")
    return missed
