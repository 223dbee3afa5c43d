"""What packages/tfjs/bench/compute.mjs measures, with PyTorch on one thread: the same models, the same lines of JSON."""

import json
import math
import time

import torch
from torch import nn
from torch.nn import functional

torch.set_num_threads(1)
BATCHES = 9


def cost_of(call):
    """Milliseconds of processor time that one call takes: the median of batches of 50 ms and more."""
    for _ in range(10):
        call()
    costs = []
    for _ in range(BATCHES):
        start, calls = time.process_time(), 0
        while calls == 0 or time.process_time() - start < 0.05:
            call()
            calls += 1
        costs.append((time.process_time() - start) / calls * 1000)
    return sorted(costs)[BATCHES // 2]


def gradient_of(model, inputs, targets):
    def call():
        model.zero_grad()
        functional.cross_entropy(model(inputs), targets).backward()

    return call


class Block(nn.Module):
    def __init__(self, width, heads, length):
        super().__init__()
        self.heads = heads
        self.attention_norm, self.norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.query, self.key, self.value, self.join = (nn.Linear(width, width, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(width, 4 * width, bias=False), nn.Linear(4 * width, width, bias=False)
        self.register_buffer("mask", torch.triu(torch.full((length, length), -1e9), 1))

    def forward(self, x):
        batch, length, width = x.shape
        h = self.attention_norm(x)
        query, key, value = (
            layer(h).view(batch, length, self.heads, -1).transpose(1, 2) for layer in (self.query, self.key, self.value)
        )
        scores = query @ key.transpose(2, 3) / math.sqrt(width / self.heads) + self.mask
        x = x + self.join((scores.softmax(-1) @ value).transpose(1, 2).reshape(batch, length, width))
        return x + self.down(functional.relu(self.up(self.norm(x))))


class Gpt(nn.Module):
    def __init__(self, characters, width, heads, length, layers):
        super().__init__()
        self.characters, self.places = nn.Embedding(characters, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(Block(width, heads, length) for _ in range(layers)))
        self.norm = nn.LayerNorm(width)

    def forward(self, inputs):
        x = self.characters(inputs) + self.places.weight
        return (self.norm(self.blocks(x)) @ self.characters.weight.T).flatten(0, 1)


mlp = nn.Sequential(nn.Flatten(), nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))
cnn = nn.Sequential(
    nn.ZeroPad2d((1, 2, 1, 2)),
    nn.Conv2d(1, 8, 5, 2),
    nn.ReLU(),
    nn.Conv2d(8, 16, 3, 1, 1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(16 * 49, 10),
)
images, classes = torch.rand(256, 1, 28, 28), torch.randint(0, 10, (256,))
text, following = torch.randint(0, 65, (8, 64)), torch.randint(0, 65, (512,))
for name, call in (
    ("mlp", gradient_of(mlp, images[:64], classes[:64])),
    *((f"mlp, batch of {n}", gradient_of(mlp, images[:n], classes[:n])) for n in (1, 8, 16, 32, 256)),
    ("cnn", gradient_of(cnn, images[:64], classes[:64])),
    ("gpt", gradient_of(Gpt(65, 128, 4, 64, 4), text, following)),
):
    print(json.dumps({"name": name, "ms": cost_of(call)}))
for count, rows, terms, columns, transposed in (
    (1, 64, 784, 128, None),
    (1, 784, 64, 128, "left"),
    (1, 64, 128, 784, "right"),
    (1, 256, 256, 256, None),
    (1, 512, 512, 512, None),
    (1, 1024, 1024, 1024, None),
    (32, 64, 32, 64, "right"),
    (32, 64, 64, 32, None),
    (1, 4, 784, 128, None),
):
    a = torch.randn(count, terms, rows).mT if transposed == "left" else torch.randn(count, rows, terms)
    b = torch.randn(count, columns, terms).mT if transposed == "right" else torch.randn(count, terms, columns)
    ms = cost_of(lambda: a @ b)
    name = f"{count} × {rows}·{terms}·{columns}" + (f", {transposed} transposed" if transposed else "")
    print(json.dumps({"name": name, "gigaflops": 2 * count * rows * terms * columns / ms / 1e6}))
