#!/usr/bin/env python3
# %% [markdown]
# # A tour: from a machine to a program
# Run as a script, or cell by cell in an editor that knows "# %%".

# %% A machine, and what no algorithm can beat
import tempfile

import sccl_synth as ss

machine = ss.Topology("dgx1")
print(machine, "- libsccl-synth", ss.version())
print("allgather:", ss.bounds(machine, "allgather"))

# %% The frontier: fewest steps to best bandwidth
for point in ss.frontier(machine, "allgather", seconds=20):
    print(point.cost, "R/C =", point.cost.bandwidth)

# %% The fastest for each size, beside NCCL's kind of ring
ring = ss.build(machine, "allreduce", "ring")
for row in ss.best(machine, "allreduce", [1 << 10, 1 << 20, 1 << 28], seconds=5):
    print(f"{row.bytes:>10} bytes: {row.microseconds:10.2f} us by {row.method} {tuple(row.algorithm.cost)}, "
          f"{ring.simulate(row.bytes) / row.microseconds:.2f} times as fast as the ring")

# %% Look into one, break it, and see the verifier find it
import json

data = json.loads(ring.json)
print(len(data["steps"]), "steps; the first send is", data["steps"][0]["reduces"][0])
data["steps"][0]["reduces"].pop()
try:
    ss.Algorithm.parse(json.dumps(data)).verify()
except ss.NoError as fault:
    print("found:", fault)

# %% A program
with tempfile.TemporaryDirectory() as folder:
    print("written:", ring.lower(folder, target="cuda", types="f32", ops="sum"))
