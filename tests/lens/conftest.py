"""Tests that need PyTorch and TransformerLens; `make lens` makes their environment and runs them."""

import torch

torch.set_num_threads(1)
