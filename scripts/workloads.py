#!/usr/bin/env python3
"""The networks of workloads/, counted from their architectures: workloads.py FOLDER writes one file each.

Parameters are exact. Operations of the forward pass are those of convolutions and matrix products, two for each multiplication with its
addition; activations, normalisation and pooling are not counted. A layer is what has parameters of its own (a convolution with its
normalisation, an attention, ...), in the order of the forward pass."""
import json
import sys
from pathlib import Path

V100 = "The rate is about half of the 15.7 Tflop/s that a V100 peaks at in 32 bits."
A100 = "The rate is half of the 312 Tflop/s that an A100 peaks at in 16 bits."


class Net:
    """Layers as they are added; `side` is that of the square picture at hand, `depth` its channels."""

    def __init__(self, side=0, depth=0):
        self.layers, self.side, self.depth = [], side, depth

    def add(self, name, parameters, *products):
        """A product of m x k by k x n multiplies m n k times."""
        self.layers.append({"name": name, "parameters": parameters, "flops": 2 * sum(m * n * k for m, n, k in products), "products": products})

    def conv(self, name, out, k, stride=1, pad=None, bias=True, norm=False, into=None):
        """Moves on to what comes out, unless INTO says with what it is put together later."""
        pad = k // 2 if pad is None else pad
        side = (self.side + 2 * pad - k) // stride + 1
        weights = k * k * self.depth * out
        self.add(name, weights + (out if bias else 0) + (2 * out if norm else 0), (side * side, out, k * k * self.depth))
        if into is None:
            self.side, self.depth = side, out
        return side

    def pool(self, k, stride, up=False):
        rest = self.side - k
        self.side = (-(-rest // stride) if up else rest // stride) + 1

    def full(self, name, out, into=None):
        into = into or self.side * self.side * self.depth
        self.add(name, into * out + out, (1, out, into))
        self.side, self.depth = 1, out


def alexnet():
    n = Net(224, 3)
    n.conv("conv1", 64, 11, 4, 2)
    n.pool(3, 2)
    n.conv("conv2", 192, 5)
    n.pool(3, 2)
    for i, out in enumerate((384, 256, 256)):
        n.conv(f"conv{i + 3}", out, 3)
    n.pool(3, 2)
    for name, out in (("fc6", 4096), ("fc7", 4096), ("fc8", 1000)):
        n.full(name, out)
    return n.layers


def vgg16():
    n = Net(224, 3)
    for block, (count, out) in enumerate(((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))):
        for i in range(count):
            n.conv(f"conv{block + 1}_{i + 1}", out, 3)
        n.pool(2, 2)
    for name, out in (("fc6", 4096), ("fc7", 4096), ("fc8", 1000)):
        n.full(name, out)
    return n.layers


def resnet(blocks, bottleneck):
    n = Net(224, 3)
    n.conv("conv1", 64, 7, 2, bias=False, norm=True)
    n.side = 56
    for stage, count in enumerate(blocks):
        width, out = 64 << stage, (256 if bottleneck else 64) << stage
        for b in range(count):
            name, stride = f"conv{stage + 2}_{b + 1}", 2 if stage and not b else 1
            if n.depth != out:
                n.conv(name + "_shortcut", out, 1, stride, bias=False, norm=True, into="sum")
            shapes = ((width, 1, 1), (width, 3, stride), (out, 1, 1)) if bottleneck else ((width, 3, stride), (out, 3, 1))
            for i, (depth, k, by) in enumerate(shapes):
                n.conv(f"{name}_{i + 1}", depth, k, by, bias=False, norm=True)
    n.full("fc", 1000, n.depth)
    return n.layers


def googlenet():
    n = Net(224, 3)
    n.conv("conv1", 64, 7, 2)
    n.pool(3, 2, True)
    n.conv("conv2_reduce", 64, 1)
    n.conv("conv2", 192, 3)
    n.pool(3, 2, True)
    table = {"3a": (64, 96, 128, 16, 32, 32), "3b": (128, 128, 192, 32, 96, 64), "4a": (192, 96, 208, 16, 48, 64),
             "4b": (160, 112, 224, 24, 64, 64), "4c": (128, 128, 256, 24, 64, 64), "4d": (112, 144, 288, 32, 64, 64),
             "4e": (256, 160, 320, 32, 128, 128), "5a": (256, 160, 320, 32, 128, 128), "5b": (384, 192, 384, 48, 128, 128)}
    for name, (one, r3, three, r5, five, pool) in table.items():
        depth = n.depth
        n.conv(name + "_1x1", one, 1, into="join")
        n.conv(name + "_3x3_reduce", r3, 1)
        n.conv(name + "_3x3", three, 3)
        n.depth = depth
        n.conv(name + "_5x5_reduce", r5, 1)
        n.conv(name + "_5x5", five, 5)
        n.depth = depth
        n.conv(name + "_pool", pool, 1)
        n.depth = one + three + five + pool
        if name in ("3b", "4e"):
            n.pool(3, 2, True)
    n.full("fc", 1000, n.depth)
    return n.layers


def transformer(tokens=64, d=512, inner=2048, vocabulary=37000):
    n = Net()
    attention = 4 * (d * d + d) + 2 * d  # with its normalisation
    feed = d * inner + inner + inner * d + d + 2 * d

    def attend(name):
        n.add(name, attention, *[(tokens, d, d)] * 4, (tokens, tokens, d), (tokens, d, tokens))

    n.add("embedding", vocabulary * d)
    for i in range(6):
        attend(f"encoder{i + 1}_attention")
        n.add(f"encoder{i + 1}_feed", feed, (tokens, inner, d), (tokens, d, inner))
    for i in range(6):
        attend(f"decoder{i + 1}_attention")
        attend(f"decoder{i + 1}_encoder_attention")
        n.add(f"decoder{i + 1}_feed", feed, (tokens, inner, d), (tokens, d, inner))
    n.add("output", 0, (tokens, vocabulary, d))  # its matrix is the embedding's
    return n.layers


def llama(tokens=4096, layers=32, d=4096, inner=11008, vocabulary=32000):
    n = Net()
    n.add("embedding", vocabulary * d)
    for i in range(layers):
        n.add(f"layer{i + 1}_attention", 4 * d * d + d, *[(tokens, d, d)] * 4, (tokens, tokens, d), (tokens, d, tokens))
        n.add(f"layer{i + 1}_feed", 3 * d * inner + d, *[(tokens, inner, d)] * 2, (tokens, d, inner))
    n.add("output", vocabulary * d + d, (tokens, vocabulary, d))
    return n.layers


def alphagozero():
    n = Net(19, 17)
    n.conv("conv", 256, 3, bias=False)
    n.conv("residual_1", 256, 3, bias=False)
    n.conv("residual_2", 256, 3, bias=False)
    n.conv("value", 1, 1, bias=False, into="head")
    n.add("value_fc1", 361 * 256, (1, 256, 361))
    n.add("value_fc2", 256, (1, 1, 256))
    n.conv("policy", 2, 1, bias=False, into="head")
    n.add("policy_fc", 722 * 362, (1, 362, 722))
    return n.layers


def faster_rcnn():
    """ResNet-50 up to its fourth stage, without the last block's successors, and the network that proposes regions."""
    n = Net(224, 3)
    n.conv("conv1", 64, 7, 2, bias=False)
    n.side = 56
    for stage, count in enumerate((3, 4, 6)):
        width, out = 64 << stage, 256 << stage
        for b in range(count):
            name, stride = f"conv{stage + 2}_{b + 1}", 2 if stage and not b else 1
            if not b:
                n.conv(name + "_shortcut", out, 1, stride, bias=False, into="sum")
            for i, (depth, k, by) in enumerate(((width, 1, stride), (width, 3, 1), (out, 1, 1))):
                n.conv(f"{name}_{i + 1}", depth, k, by, bias=False)
    n.conv("rpn", 512, 3, bias=False)
    n.conv("rpn_boxes", 36, 1, bias=False, into="head")
    n.conv("rpn_classes", 18, 1, bias=False, into="head")
    return n.layers


def ncf(users=138000):
    n = Net()
    for name, width in (("mf_user", 8), ("mf_item", 8), ("mlp_user", 32), ("mlp_item", 32)):
        n.add(name, users * width)  # looked up, not multiplied
    for i, (into, out) in enumerate(((64, 32), (32, 16), (16, 8))):
        n.add(f"mlp_fc{i + 1}", into * out, (1, out, into))
    n.add("predict", 16, (1, 1, 16))
    return n.layers


SCALE_SIM = "Layers as listed by SCALE-Sim (ARM-software/SCALE-Sim, topologies/mlperf, 2020), with padding. "
NETS = {
    "alphagozero": (alphagozero(), 16, 4, 8, "AlphaGo Zero's network with one residual block", SCALE_SIM + V100),
    "fasterrcnn": (faster_rcnn(), 16, 4, 8, "Faster R-CNN's convolutions for pictures of 224 x 224", SCALE_SIM + V100),
    "ncf": (ncf(), 16, 4, 8, "neural collaborative filtering of 138,000 users and as many items", SCALE_SIM + V100),
    "alexnet": (alexnet(), 64, 4, 8, "AlexNet for pictures of 224 x 224",
                "Krizhevsky, One weird trick for parallelizing convolutional neural networks, 2014: the network of one tower. " + V100),
    "googlenet": (googlenet(), 64, 4, 8, "GoogLeNet for pictures of 224 x 224, without the auxiliary classifiers",
                  "Szegedy et al., Going deeper with convolutions, 2015, table 1, with biases. " + V100),
    "llama2-7b": (llama(), 1, 2, 156, "a language model of 7 billion parameters; a sample is a sequence of 4096 tokens",
                  "Touvron et al., Llama 2, 2023. Gradients and computing in 16 bits. " + A100),
    "resnet18": (resnet((2, 2, 2, 2), False), 64, 4, 8, "ResNet-18 for pictures of 224 x 224",
                 "He et al., Deep residual learning for image recognition, 2016, table 1. " + V100),
    "resnet50": (resnet((3, 4, 6, 3), True), 64, 4, 8, "ResNet-50 for pictures of 224 x 224",
                 "He et al., Deep residual learning for image recognition, 2016, table 1; stride in the 3 x 3 convolution. " + V100),
    "transformer": (transformer(), 48, 4, 8, "the base Transformer; a sample is a pair of sentences of 64 tokens",
                    "Vaswani et al., Attention is all you need, 2017: 37000 words, one matrix for both embeddings and the output; the batch is "
                    "about an eighth of its 25000 tokens. " + V100),
    "vgg16": (vgg16(), 32, 4, 8, "VGG-16 for pictures of 224 x 224",
              "Simonyan and Zisserman, Very deep convolutional networks, 2015, configuration D. " + V100),
}


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for name, (layers, batch, size, rate, description, source) in NETS.items():
        head = {"format": "sccl-workload", "version": 1, "name": name, "description": description,
                "source": source + " Counted by scripts/workloads.py.", "batch": batch, "gradient_bytes": size, "teraflops": str(rate)}
        lines = ["  " + json.dumps(key) + ": " + json.dumps(value) for key, value in head.items()]
        lines.append('  "layers": [\n' + ",\n".join("    " + json.dumps(layer) for layer in layers) + "\n  ]")
        (folder / (name + ".json")).write_text("{\n" + ",\n".join(lines) + "\n}\n")


main()
