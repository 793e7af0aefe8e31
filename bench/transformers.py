"""The transformers of the benchmark: their settings, for the engine and for its peers alike, and the work of a step."""
from operations import Operations
from roofline import ADAM, NORMAL, TOKEN, activations, logits_and_loss, softmax_over_keys, table_rows

GELU, GELU_SLOPE = 22, 23  # polynomials of degree 14 and 17 in x², and 8 and 6 around them

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
    """Counted from the shapes, for what the engine computes: the last layer's queries, residuals and MLP at the asked position
    alone, its keys and values not at all (each head attends over the inputs themselves), and no scores that the mask hides."""

    def __init__(self, part, vocab, width, context, batch):
        config = config_of(part, vocab, width, context)
        self.config, self.batch, self.width, self.context = config, batch, width, context
        self.real = config["data.task"] == "regression"
        self.inputs = config["data.dimension"] + config["data.flag"] if self.real else vocab
        self.outputs = config["data.dimension"] if self.real else vocab
        self.hidden = config["network.mlp_factor"] * width if config["network.mlp"] != "none" else 0
        inner = config["network.layers"] - 1
        self.queries = [context] * inner + [1]  # by layer
        self.keys = [context] * inner + [0]     # formed, with as many values
        pairs = context * (context + 1) // 2 if config["network.mask"] == "causal" else context * context
        self.seen = [pairs] * inner + [context]  # pairs of a query and a key it sees

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

    def step(self):
        """All that a step asks for: the products and what stands between them."""
        width, heads = self.width, self.config["network.heads"]
        sample = Operations()
        if self.real:
            sample += NORMAL * (self.context * self.config["data.dimension"]) + activations(self.context * self.inputs)
            sample += Operations(multiply_adds=2 * self.outputs)  # difference and square
        else:
            sample += TOKEN * self.context + table_rows(self.inputs, width, self.context)
            loss = logits_and_loss(self.outputs, width, 1)
            loss.multiply_adds -= 3 * self.outputs * width  # which are among the products
            sample += loss
        for queries, keys, seen in zip(self.queries, self.keys, self.seen):
            sample += softmax_over_keys(heads * seen, heads * queries, width // heads)
            sample += Operations(multiply_adds=queries * self.hidden * (GELU + GELU_SLOPE))
            # input, keys, values; queries, means, hidden; attention
            sample += activations(self.context * width + 2 * keys * width + queries * (2 * width + self.hidden) + heads * seen)
        return sample * self.batch + Operations(multiply_adds=self.multiply_adds()) + ADAM * self.parameters()

    def parameters(self):
        width, layers = self.width, len(self.queries)
        weights = self.inputs * width + layers * (4 * width ** 2 + 2 * self.hidden * width) + self.outputs * width
        if self.config["network.positions"] == "learned":
            weights += self.context * width
        if self.config["network.biases"]:
            weights += width + layers * (4 * width + self.hidden + (width if self.hidden else 0)) + self.outputs
        return weights
