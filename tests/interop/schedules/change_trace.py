#!/usr/bin/env python3
"""Plants a fault in a Chakra trace. usage: change_trace.py FILE FAULT

A record is a length and a message of Protocol Buffers; this reads and writes only what it needs of them.
"""
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            return value, at


def encode(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(message):
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        if key & 7 == 0:
            value, at = varint(message, at)
        else:
            n, at = varint(message, at)
            value, at = message[at:at + n], at + n
        yield key, value


def join(parts):
    return b''.join(encode(k) + (encode(v) if k & 7 == 0 else encode(len(v)) + v) for k, v in parts)


def main():
    path, fault = sys.argv[1:]
    with open(path, 'rb') as file:
        data = file.read()
    records, at = [], 0
    while at < len(data):
        n, at = varint(data, at)
        records.append(list(fields(data[at:at + n])))
        at += n
    depends, node_type = 5 << 3 | 2, 3 << 3
    with_dependences = [r for r in records[1:] if any(k == depends for k, _ in r) and dict(r)[node_type] == 5]
    if fault == 'dependence':
        with_dependences[0][:] = [(k, v) for k, v in with_dependences[0] if k != depends]
    elif fault == 'cycle':
        records[1].append((depends, encode(len(records) - 2)))
        records[-1].append((depends, encode(0)))
    elif fault == 'absent':
        records[-1].append((depends, encode(1 << 20)))
    elif fault == 'drop':
        unused = next(i for i, r in enumerate(records) if i and dict(r)[node_type] == 5 and not any(
            encode(dict(r).get(8, 0)) in dict(o).get(depends, b'') for o in records[1:]))
        del records[unused]
    elif fault == 'chunk':
        for i, (key, value) in enumerate(records[1]):
            if key == 10 << 3 | 2 and value.startswith(b'\n\x0dmsg_chunk_idx'):
                records[1][i] = (key, value[:-1] + bytes([value[-1] ^ 1]))
    out = b''.join(encode(len(join(r))) + join(r) for r in records)
    with open(path, 'wb') as file:
        file.write(out[:-5] if fault == 'cut' else out)


main()
