#!/usr/bin/env python3
"""Makes tests/golden/soft_answers/*.json: cross-entropy to distributions and its gradients, by PyTorch's autograd in float64.

    /usr/bin/python3 tests/golden/make_soft_answers_golden.py        # needs Debian's python3-torch
"""
import json
import pathlib

import torch
import torch.nn.functional as F

SAMPLES = 16
COINCIDENT = 1e-6  # added to squared distances before a logarithm
CASES = {"linear": dict(vocab=7, width=3, power=0.0), "harmonic": dict(vocab=6, width=2, power=2.5)}


def make(vocab, width, power):
    generator = torch.Generator().manual_seed(vocab)
    draw = lambda *shape: torch.rand(*shape, generator=generator, dtype=torch.float32).double() * 2 - 1
    u, o = draw(vocab, width).requires_grad_(), (1.5 * draw(SAMPLES, width)).requires_grad_()
    p = torch.softmax(3 * draw(SAMPLES, vocab), dim=1).float().double()  # a row for each sample
    weights = (draw(SAMPLES) + 1).float().double()
    logits = o @ u.T
    if power > 0:
        logits = -0.5 * power * torch.log(((o[:, None] - u[None]) ** 2).sum(2) + COINCIDENT)
    loss = (weights * F.cross_entropy(logits, p, reduction="none")).sum()
    loss.backward()
    flat = lambda tensor: tensor.detach().flatten().tolist()
    return dict(vocab=vocab, width=width, power=power, samples=SAMPLES, u=flat(u), o=flat(o), p=flat(p), weights=flat(weights),
                loss=loss.item(), du=flat(u.grad), do=flat(o.grad))


def main():
    folder = pathlib.Path(__file__).parent / "soft_answers"
    folder.mkdir(exist_ok=True)
    for name, case in CASES.items():
        (folder / f"{name}.json").write_text(json.dumps(make(**case)) + "\n")


if __name__ == "__main__":
    main()
