"""The work a training step of a one-layer network cannot do without, counted from its shape. README.md explains the count."""
import math

from operations import Operations

REGISTERS = 32     # of AVX-512: so many rows of a sample need not go through memory
LANES = 16         # of one of them: an instruction takes the time of so many floats, however few it serves
SMALL_TABLE = 128  # rows that may be looked up in registers, by permutations

# The parts of an optimizer's update of one parameter, whose p, g, m (and v) come from memory and p, m (and v) go back.
ADAM = Operations(multiply_adds=7, roots=1, quotients=1, loaded=4, stored=3)
SGD = Operations(multiply_adds=2, loaded=3, stored=2)
# Box and Muller, half of a pair: sine and cosine are polynomials of degree 4 in x², times x, times the radius.
NORMAL = Operations(multiply_adds=7, logarithms=0.5, roots=0.5, random_words=1)
TOKEN = Operations(multiply_adds=2, random_words=1, stored=1, loaded=1)  # the even and the odd lanes' product with V


def activations(count):
    """Rows that the backward pass needs again: written once, read once by each pass, unless all fit in registers."""
    return Operations(stored=count, loaded=2 * count) if count > REGISTERS else Operations()


def table_rows(vocab, width, tokens):
    """Rows of the embedding read: by permutations of two registers of a column, and choices between them, or from memory. Their
    gradients added: by comparing each token with all, or row by row, as tokens may agree; whichever takes less."""
    if vocab <= SMALL_TABLE:
        work = Operations(multiply_adds=tokens * width * (2 * math.ceil(vocab / (2 * LANES)) - 1))
    else:
        work = Operations(looked_up=tokens * width)
    comparing, by_rows = vocab * (1 + width), LANES * math.ceil(width / LANES)
    if comparing <= by_rows:
        return work + Operations(multiply_adds=tokens * comparing)
    return work + Operations(multiply_adds=tokens * by_rows, looked_up=tokens, scattered=tokens)


def softmax_over_keys(pairs, queries, width):
    """Of scores that are there; a bound of them serves as their maximum. The mean is divided by the sum, not each weight, and
    what the backward pass subtracts, Σ a da, is dmean·mean."""
    return Operations(exponentials=pairs, multiply_adds=pairs + queries * width + 2 * pairs + queries * width, quotients=queries)


def logits_and_loss(vocab, width, queries):
    """Logits (a bound in their first term for the maximum), softmax, cross-entropy, dU and do. What the answer adds to the
    gradient, one row, is 2D; the exponentials wait in memory until their sum is known."""
    kept = queries * vocab if vocab > REGISTERS else 0
    return Operations(multiply_adds=queries * (3 * vocab * width + vocab + 2 * width), exponentials=queries * vocab,
                      logarithms=queries, quotients=queries, stored=kept, loaded=kept)


def step(part, vocab, width, context, batch):
    """Of one training step: tied, causal, Adam, and `part` as in bench_steps.cpp."""
    if part == "toy":
        return toy(width, context, batch)
    queries = context if part == "unigram" else 1
    pairs = context * (context + 1) // 2 if part == "unigram" else context  # of a query and a key it sees
    by_distance = part in ("distance", "inverse")
    keys = context if by_distance else queries  # distances need the keys formed, dot products carry W_K to the query
    sample = TOKEN * context + table_rows(vocab, width, context) + activations(context * width)
    sample += Operations(multiply_adds=3 * (2 * queries + keys) * width * width)  # q = W_Q x, o = W_V m; keys, or W_Kᵀ q
    sample += Operations(multiply_adds=6 * pairs * width)  # scores and mean; da, dq, dx twice (or dx and dk)
    sample += softmax_over_keys(pairs, queries, width)
    sample += logits_and_loss(vocab, width, queries)
    if by_distance:
        sample += Operations(multiply_adds=2 * pairs * width)  # differences, forward and backward
    if part == "inverse":
        sample += Operations(multiply_adds=2 * pairs, logarithms=pairs, quotients=pairs)  # factors; quotient by the square
    if part == "harmonic":
        sample += Operations(multiply_adds=vocab * (2 * width + 2), logarithms=vocab, quotients=vocab)
    if part == "positions":
        sample += Operations(multiply_adds=2 * context * width)
    return sample * batch + ADAM * parameters(part, vocab, width, context)


def toy(width, context, batch):
    """W m, W* x, Wᵀ(y - y*), the outer products; of a sample its token and the mean of the others are drawn, of a step the
    noise of the scores."""
    products = Operations(multiply_adds=4 * batch * width * width)
    drawn = NORMAL * (2 * batch * width + context)
    softmax = Operations(exponentials=context, multiply_adds=3 * context, quotients=1)
    return products + drawn + softmax + SGD * parameters("toy", 0, width, context)


def parameters(part, vocab, width, context):
    if part == "toy":
        return width * width + context
    return vocab * width + 3 * width * width + (context * width if part == "positions" else 0)
