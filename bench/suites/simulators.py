"""gossipy on the task of packages/experiment/bench/peer-rounds.mjs: peers on a ring, each with 32 samples of 57 numbers, batches of 32.

Arguments: the number of peers, and of rounds. In a round each peer sends its model to one of its two neighbours, and who gets one
averages and takes a step of SGD. Messages take no time, and nothing is evaluated. Prints seconds, those of the clock and of the processor.
"""

import json
import logging
import sys
import time

import gossipy
import torch
from gossipy.core import AntiEntropyProtocol, CreateModelMode, StaticP2PNetwork
from gossipy.model.handler import TorchModelHandler
from gossipy.model.nn import LogisticRegression
from gossipy.node import GossipNode
from gossipy.simul import GossipSimulator
from scipy.sparse import csr_matrix, eye

peers, rounds = map(int, sys.argv[1:])
features, samples, batch = 57, 32, 32
steps_of_a_round = 2  # of its clock; each looks at every peer, and 2 are the fewest that its nodes can draw their turns from

gossipy.LOG.setLevel(logging.ERROR)
gossipy.set_seed(1)
torch.set_num_threads(1)


class NoTestData:
    """What its simulator asks of a dispatcher of data."""

    def has_test(self):
        return False


def node_of(number, network):
    x = torch.randn(samples, features)
    y = (x[:, 0] + 0.5 * torch.randn(samples) > 0).long()
    handler = TorchModelHandler(
        net=LogisticRegression(features, 2),
        optimizer=torch.optim.SGD,
        optimizer_params={"lr": 0.1},
        criterion=torch.nn.CrossEntropyLoss(),
        local_epochs=0,  # one batch
        batch_size=batch,
        create_model_mode=CreateModelMode.MERGE_UPDATE,
    )
    return GossipNode(number, ((x, y), None), steps_of_a_round, handler, network, True)


ring = eye(peers, k=1) + eye(peers, k=-1) + eye(peers, k=peers - 1) + eye(peers, k=1 - peers)
network = StaticP2PNetwork(peers, csr_matrix(ring))
nodes = {number: node_of(number, network) for number in range(peers)}
simulator = GossipSimulator(nodes, NoTestData(), steps_of_a_round, AntiEntropyProtocol.PUSH)
simulator.init_nodes()
began, used = time.perf_counter(), time.process_time()
simulator.start(rounds)
print(json.dumps({"seconds": time.perf_counter() - began, "processor": time.process_time() - used}))
