"""Import this first: it ends a test with 77 (skipped) where PyTorch or NumPy is missing, or fails if ATTO_REQUIRE_TORCH is set."""
import os
import sys

sys.dont_write_bytecode = True
try:
    import numpy
    import torch
except ImportError as missing:
    print(f"skipped: {missing}; `scripts/setup.sh bench` installs PyTorch")
    sys.exit(1 if os.environ.get("ATTO_REQUIRE_TORCH") else 77)
torch.set_num_threads(1)
torch.manual_seed(1)
