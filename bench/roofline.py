"""The arithmetic a training step cannot do without, counted from the shapes. README.md beside this explains the count."""

# Vector instructions of the elementary functions at single precision.
EXP = 10  # scale and round, integer part, remainder, polynomial of degree 6, exponent
LOG = 15  # split into exponent and mantissa 4, polynomial of degree 8, assembly 3
ADAM = 9  # first moment 2, second moment 3, root, ε, quotient, update


def vector_instructions(part, vocab, width, context, batch):
    """Per step, lanes counted one by one: tied, causal, Adam, and `part` as in bench_steps.cpp."""
    if part == "toy":  # W m, W* x, Wᵀ(y - y*), the outer products; velocity and update of SGD
        return (4 * batch + 2) * width * width + 2 * context
    queries = context if part == "unigram" else 1
    pairs = context * (context + 1) // 2 if part == "unigram" else context  # of a query and a key it sees
    by_distance = part in ("distance", "inverse")
    keys = context if by_distance else queries  # distances need the keys formed, dot products carry W_K to the query

    forward = (
        (2 * queries + keys) * width * width  # q = W_Q x, o = W_V m; keys, or W_Kᵀ q
        + 2 * pairs * width                   # scores, mean m of the inputs
        + pairs * (EXP + 3)                   # softmax: maximum, exponential, sum, quotient
        + queries * vocab * width             # logits
        + queries * (vocab * (EXP + 2) + LOG)  # softmax: maximum, exponential, sum; loss
    )
    backward = (
        2 * queries * (vocab + 1) * width           # dU, do, and the factor of both
        + 2 * (2 * queries + keys) * width * width  # weight and input side of the products
        + pairs * (4 * width + 3)                 # da, dx, dq, dx or dk; softmax
        + context * width                         # dx into the rows of E
    )
    if by_distance:
        forward += pairs * (width + 1)       # differences; factor
        backward += pairs * (width + 1)      # differences; factor
    if part == "inverse":
        forward += pairs * LOG
        backward += pairs                    # quotient by the square
    if part == "harmonic":
        forward += vocab * (width + LOG + 1)  # differences; logarithm, factor
        backward += vocab * (width + 2)       # differences; quotient by the square, factor
    if part == "positions":
        forward += context * width
        backward += context * width
    return batch * (forward + backward) + parameters(part, vocab, width, context) * ADAM


def bytes_touched(part, vocab, width, context, batch):
    """Least traffic of a step: weights and both moments read and written, gradients and tokens written and read."""
    return 4 * (2 * 4 * parameters(part, vocab, width, context) + 2 * batch * context)


def parameters(part, vocab, width, context):
    if part == "toy":
        return width * width + context
    return vocab * width + 3 * width * width + (context * width if part == "positions" else 0)
