#!/usr/bin/env python3
"""Files as arrays of C. usage: embed.py OUT FILE..."""

import pathlib
import sys

with open(sys.argv[1], "w", encoding="ascii") as out:
    out.write('#include "show/assets.h"\n')
    for name in map(pathlib.Path, sys.argv[2:]):
        data, symbol = name.read_bytes(), name.name.replace(".", "_")
        lines = [", ".join(str(b) for b in data[i:i + 24]) for i in range(0, len(data), 24)]
        out.write(f"const unsigned char {symbol}[] = {{\n" + ",\n".join(lines) + f"}};\nconst size_t {symbol}_length = {len(data)};\n")
