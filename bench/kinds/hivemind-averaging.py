"""Averages a vector with another process by hivemind's DecentralizedAverager. Reads numbers of rounds, line by line.

Arguments: one's own number, the neighbour's, a port, and the number of elements.

Finding a group takes hivemind seconds, by design; it is done before the time of a round begins: both have found each other, wait for
the trigger, and have said so to each other over a socket. Processor time and memory are those of all processes that hivemind starts.
"""

import json
import logging
import os
import re
import socket
import sys
import time
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

import hivemind  # noqa: E402
import torch  # noqa: E402
from hivemind.averaging import DecentralizedAverager  # noqa: E402
from hivemind.averaging.control import AveragingStage  # noqa: E402

own, neighbour, port, elements = map(int, sys.argv[1:])
limit = 60


def meet():
    """A socket to the other process: the first listens, the second comes."""
    if own < neighbour:
        with socket.create_server(("127.0.0.1", port)) as server:
            server.settimeout(limit)
            return server.accept()[0]
    until = time.monotonic() + limit
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=limit)
        except ConnectionRefusedError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


def both_are_here():
    other.sendall(b".")
    assert other.recv(1) == b".", "the other process has ended"


def vector_of(number):
    """The numbers of vectors.mjs."""
    pattern = torch.arange(1000, dtype=torch.float32) / 1024 + (number + 1)
    vector = torch.empty(elements)
    whole = elements - elements % 1000
    vector[:whole].view(-1, 1000).copy_(pattern)
    vector[whole:] = pattern[: elements - whole]
    return vector


def tree(process):
    """The folder of a process in /proc, and those of all that it has started."""
    started = [child for thread in process.glob("task/*") for child in (thread / "children").read_text().split()]
    return [process, *(one for child in started for one in tree(Path("/proc", child)))]


def processor():
    """Seconds."""
    fields = [(process / "stat").read_text().rpartition(")")[2].split() for process in tree(Path("/proc/self"))]
    return sum(int(field[11]) + int(field[12]) for field in fields) / os.sysconf("SC_CLK_TCK")


def memory():
    """Bytes; what processes share is divided among them."""
    rollups = [(process / "smaps_rollup").read_text() for process in tree(Path("/proc/self"))]
    return sum(1024 * int(re.search(r"^Pss: +(\d+) kB", rollup, re.MULTILINE)[1]) for rollup in rollups)


before = memory()
other = meet()
other.settimeout(limit)
lines = other.makefile("r")
if own < neighbour:
    dht = hivemind.DHT(start=True, host_maddrs=["/ip4/127.0.0.1/tcp/0"])
    other.sendall((json.dumps([str(address) for address in dht.get_visible_maddrs()]) + "\n").encode())
else:
    dht = hivemind.DHT(start=True, host_maddrs=["/ip4/127.0.0.1/tcp/0"], initial_peers=json.loads(lines.readline()))
averager = DecentralizedAverager(
    [vector_of(own)],
    dht,
    start=True,
    prefix="bench",
    target_group_size=2,
    min_group_size=2,
    min_matchmaking_time=1.0,
    request_timeout=0.5,
    bandwidth=1.0,
)
mine = vector_of(own)
step = max(1, (elements - 1) // 128)
expected = 0.5 * (mine[::step] + mine[::step] + (neighbour - own))


def exchange():
    """Returns the seconds of a round, and those of the processor."""
    with averager.get_tensors() as (vector,):
        vector.copy_(mine)
    control = averager.step(require_trigger=True, wait=False, timeout=limit)
    while control.stage != AveragingStage.AWAITING_TRIGGER:
        if control.done():
            control.result()
        time.sleep(0.01)
    both_are_here()
    used, began = processor(), time.perf_counter()
    control.allow_allreduce()
    control.result(timeout=limit)
    took, used = time.perf_counter() - began, processor() - used
    with averager.get_tensors() as (vector,):
        if not torch.allclose(vector[::step], expected, rtol=1e-6, atol=0):
            raise RuntimeError("the average is not what it must be")
    return took, used


print(json.dumps({"ready": True}), flush=True)
for line in sys.stdin:
    rounds = [exchange() for _ in range(int(line))]
    took, used = (1000 * sum(column) for column in zip(*rounds))
    print(json.dumps({"ms": took, "cpu": used, "memory": memory() - before}), flush=True)
averager.shutdown()
dht.shutdown()
