"""What a piece of work asks of the processor, and the least time that takes at measured peaks."""
import dataclasses


@dataclasses.dataclass
class Operations:
    """Lanes are counted one by one: 16 multiply-adds are one instruction of AVX-512. README.md says what counts as what."""
    multiply_adds: float = 0  # products, sums and maxima, too
    exponentials: float = 0
    logarithms: float = 0
    random_words: float = 0
    roots: float = 0
    quotients: float = 0
    loaded: float = 0   # floats, register by register
    stored: float = 0
    looked_up: float = 0  # loads of a single float or row, each an instruction of its own
    scattered: float = 0  # stores of a single float or row

    def __add__(self, other):
        return Operations(*(a + b for a, b in zip(dataclasses.astuple(self), dataclasses.astuple(other))))

    def __mul__(self, times):
        return Operations(*(a * times for a in dataclasses.astuple(self)))


def least_times(work, peak):
    """Microseconds by side, each with its parts. Sides overlap at best, parts of a side share units and do not. `peak` is what
    `atto_bench` answers to `peak`."""
    parts = {
        "arithmetic": {name: getattr(work, name) / peak[name]
                       for name in ("multiply_adds", "exponentials", "logarithms", "random_words")},
        "division": {name: getattr(work, name) / peak[name] for name in ("roots", "quotients")},
        "loads": {"rows": work.loaded / peak["lanes"] / peak["loads"], "lookups": work.looked_up / peak["loads"]},
        "stores": {"rows": work.stored / peak["lanes"] / peak["stores"], "scatters": work.scattered / peak["stores"]},
    }
    return {side: {name: seconds * 1e6 for name, seconds in by_name.items()} for side, by_name in parts.items()}


def limit(times):
    """The least time of a step, in microseconds, and the side that sets it."""
    sums = {side: sum(parts.values()) for side, parts in times.items()}
    side = max(sums, key=sums.get)
    return sums[side], side
