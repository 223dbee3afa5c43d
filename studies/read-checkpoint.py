"""Reads a checkpoint with Python's safetensors, and prints what it holds: python3 read-checkpoint.py FILE (pip install safetensors numpy)."""

import sys

import numpy
from safetensors import safe_open

with safe_open(sys.argv[1], framework="numpy") as file:
    facts = file.metadata()
    print(f"{facts['format']}: peer {facts['peer']}, round {facts['round']}")
    for name in file.keys():
        tensor = file.get_tensor(name)
        norm = numpy.linalg.norm(tensor.astype(numpy.float64))
        print(f"{name}: {tensor.dtype} {tensor.shape}, norm {norm:.6g}")
        assert numpy.isfinite(tensor).all(), name
