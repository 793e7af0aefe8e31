"""The transformers of the benchmark: their settings, for the engine and for PyTorch alike, and the arithmetic of a step."""
from roofline import ADAM, EXP, LOG

GELU, GELU_SLOPE = 22, 23  # vector instructions: polynomials of degree 14 and 17 in x², and 8 and 6 around them

# Keys of a study; vocabulary, width, context and batch vary from case to case.
SETTINGS = {
    "regression": {
        "data.task": "regression", "data.dimension": 8, "data.places": "random", "data.flag": True, "network.form": "attention",
        "network.layers": 2, "network.heads": 4, "network.output": True, "network.residual": True, "network.mlp": "gelu",
        "network.mlp_factor": 4, "network.norm": "none", "network.biases": True, "network.positions": "sinusoidal",
        "network.mask": "full", "training.optimizer": "adam", "training.rate": 1e-4},
    "recall": {
        "data.task": "recall", "data.pairs": 8, "network.form": "attention", "network.layers": 2, "network.heads": 1,
        "network.output": True, "network.residual": True, "network.mlp": "none", "network.norm": "none",
        "network.biases": False, "network.positions": "learned", "network.mask": "causal", "network.unembedding": "free",
        "training.optimizer": "adam", "training.rate": 1e-4},
}


def config_of(part, vocab, width, context):
    """What a run of this case is configured with, as an export would say it."""
    return {**SETTINGS[part], "data.vocab": vocab, "data.context": context, "network.width": width}


class Work:
    """Counted from the shapes, for what each side computes. `engine`: the last layer's queries, residuals and MLP at the asked
    position alone, its keys and values not at all (each head attends over the inputs themselves), and no scores that the mask
    hides. `asked`: PyTorch that is told to answer at the asked position alone. `everywhere`: the usual PyTorch module."""

    def __init__(self, part, vocab, width, context, batch, side="engine"):
        config = config_of(part, vocab, width, context)
        self.config, self.batch, self.width, self.context = config, batch, width, context
        self.real = config["data.task"] == "regression"
        self.inputs = config["data.dimension"] + config["data.flag"] if self.real else vocab
        self.outputs = config["data.dimension"] if self.real else vocab
        self.hidden = config["network.mlp_factor"] * width if config["network.mlp"] != "none" else 0
        layers = config["network.layers"]
        self.queries = [context] * (layers - 1) + [context if side == "everywhere" else 1]  # by layer
        self.keys = [context] * (layers - 1) + [0 if side == "engine" else context]      # formed, with as many values
        causal = config["network.mask"] == "causal" and side == "engine"
        self.seen = [context * (context + 1) // 2 if causal and n == context else n * context for n in self.queries]  # pairs

    def multiply_adds(self):
        """Of all matrix products of a step: once forward, twice backward, where the data need no gradient."""
        width, forward, backward = self.width, 0, 0
        if self.real:
            forward += self.context * self.inputs * width
            backward += self.context * self.inputs * width
        for queries, keys, seen in zip(self.queries, self.keys, self.seen):
            layer = 2 * keys * width ** 2 + queries * (2 * width ** 2 + 2 * self.hidden * width)
            if keys:
                layer += 2 * seen * width
            else:  # the query through W_K, the mean input through W_V, and scores and means of all features for each head
                layer += 2 * queries * width ** 2 + 2 * seen * width * self.config["network.heads"]
            forward += layer
            backward += 2 * layer
        forward += width * self.outputs
        backward += 2 * width * self.outputs
        return self.batch * (forward + backward)

    def vector_instructions(self):
        """The products, and what each score, hidden feature, answer and parameter costs besides, as in roofline.py."""
        scores = self.config["network.heads"] * sum(self.seen)
        hidden = self.hidden * sum(self.queries)
        answers = self.outputs * 2 if self.real else self.outputs * (EXP + 2) + LOG
        # softmax: maximum, exponential, sum, quotient; backward 3. GELU by polynomials.
        besides = scores * (EXP + 3 + 3) + hidden * (GELU + GELU_SLOPE) + answers
        return self.multiply_adds() + self.batch * besides + self.parameters() * ADAM

    def parameters(self):
        width, layers = self.width, len(self.queries)
        weights = self.inputs * width + layers * (4 * width ** 2 + 2 * self.hidden * width) + self.outputs * width
        if self.config["network.positions"] == "learned":
            weights += self.context * width
        if self.config["network.biases"]:
            weights += width + layers * (4 * width + self.hidden + (width if self.hidden else 0)) + self.outputs
        return weights

    def bytes_touched(self):
        """As in roofline.py: weights and both moments read and written, gradients and the batch written and read."""
        drawn = self.context * (self.inputs if self.real else 1)
        return 4 * (2 * 4 * self.parameters() + 2 * self.batch * drawn)
