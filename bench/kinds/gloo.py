"""Exchanges a vector with another process by Gloo, both ways at once, and averages. Reads numbers of rounds, line by line.

Arguments: one's own number, the neighbour's, a port, the number of elements, and of threads (0: as many as PyTorch takes).
"""

import json
import os
import resource
import sys
import time

import torch
import torch.distributed as distributed

own, neighbour, port, elements, threads = map(int, sys.argv[1:])
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port), GLOO_SOCKET_IFNAME="lo")
if threads > 0:
    torch.set_num_threads(threads)
distributed.init_process_group("gloo", rank=own, world_size=2)


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def vector_of(number):
    """The numbers of vectors.mjs."""
    pattern = torch.arange(1000, dtype=torch.float32) / 1024 + (number + 1)
    vector = torch.empty(elements)
    whole = elements - elements % 1000
    vector[:whole].view(-1, 1000).copy_(pattern)
    vector[whole:] = pattern[: elements - whole]
    return vector


before = peak()
mine = vector_of(own)
theirs = torch.empty(elements)
step = max(1, (elements - 1) // 128)
expected = 0.5 * (mine[::step] + mine[::step] + (neighbour - own))


def exchange():
    receiving = distributed.irecv(theirs, neighbour)
    sending = distributed.isend(mine, neighbour)
    receiving.wait()
    sending.wait()
    theirs.lerp_(mine, 0.5)
    if not torch.equal(theirs[::step], expected):
        raise RuntimeError("the average is not what it must be")


print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    cpu = time.process_time()
    for _ in range(int(line)):
        exchange()
    cpu = (time.process_time() - cpu) * 1000
    print(json.dumps({"cpu": cpu, "memory": peak() - before}), flush=True)
