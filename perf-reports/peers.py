#!/usr/bin/env python3
"""Times NumPy and PyTorch, where they are installed, on the cases of restride-perf.

Writes lines of JSON to stdout, which `restride-perf render DIR --merge FILE` adds to a report: who took
part, then a record per case. The cases come from the program itself, so that both measure the same:

    python3 perf-reports/peers.py --suite quick > peers.jsonl

Every result is compared with an index-by-index copy of a sample of its cells before it is timed. The
rounds are not those of restride, so ratios are those of medians. One thread each, as restride's first.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

# Before NumPy and PyTorch start their threads.
for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(name, "1")

try:
    import numpy
except ImportError:
    sys.exit("peers.py: NumPy is not installed, and buffers are made with it")

try:
    import torch
except ImportError:
    torch = None

SAMPLE_NS = 100_000  # what reading the clock and calling from Python takes is small beside it
PAGE = 4096
DST_OFFSET = 2112  # as restride-perf places destinations
HUGE = 2 << 20
TYPES = {1: "u1", 2: "u2", 4: "f4", 8: "f8", 16: "c16"}


def place(case, side):
    """First byte of index [0, 0, ..] and bytes of the whole side, from a page of the array on."""
    cell, low, high = case["cell"], case[side + "_offset"], case[side + "_offset"]
    for extent, stride in zip(case["shape"], case[side + "_strides"]):
        reach = stride * (extent - 1)
        low, high = low + min(reach, 0), high + max(reach, 0)
    start = low * cell // PAGE * PAGE
    return case[side + "_offset"] * cell - start, (high + 1) * cell - start


def buffer(length, offset):
    """Bytes that begin `offset` bytes behind a multiple of 2 MiB, all touched."""
    memory = numpy.zeros(length + offset + HUGE, dtype="u1")
    start = -memory.ctypes.data % HUGE + offset
    memory[:] = 0
    return memory[start : start + length]


def view(memory, case, side):
    """A NumPy view of a side."""
    base, _ = place(case, side)
    cell = case["cell"]
    strides = [stride * cell for stride in case[side + "_strides"]]
    return numpy.ndarray(
        case["shape"], TYPES[cell], buffer=memory.data, offset=base, strides=strides
    )


def numpy_copy(src, dst):
    """`copyto` between two views that stand before the clock starts."""
    return lambda: numpy.copyto(dst, src)


def torch_copy(src, dst):
    """`copy_` between two tensors over the same memory; none for what tensors cannot be."""
    if torch is None or any(stride < 0 for stride in src.strides + dst.strides):
        return None
    if src.dtype.str[1:] == "u2":
        src, dst = src.view("i2"), dst.view("i2")
    try:
        from_, to = torch.from_numpy(src), torch.from_numpy(dst)
    except (TypeError, ValueError):
        return None
    return lambda: to.copy_(from_)


def verify(case, src, dst, random):
    """Compares a sample of cells."""
    picks = tuple(random.integers(0, extent, 1000) for extent in case["shape"])
    raw = f"V{case['cell']}"
    if (src[picks].view(raw) != dst[picks].view(raw)).any():
        sys.exit(f"peers.py: wrong result on {case['name']}")


def samples(copy, rounds):
    """Calls in a sample, and nanoseconds per call of each round."""
    start = time.perf_counter_ns()
    copy()
    once = max(time.perf_counter_ns() - start, 1)
    calls = max(1, SAMPLE_NS // once)
    taken = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        for _ in range(calls):
            copy()
        taken.append(float(f"{(time.perf_counter_ns() - start) / calls:.5g}"))
    return calls, taken


def cases(options):
    """The cases of a suite, as restride-perf lists them."""
    command = options.program.split() + ["list", "cases", "--suite", options.suite, "--json"]
    lines = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    for line in lines.splitlines():
        case = json.loads(line)
        # Lists of allocations are no arrays, and NumPy stops at 64 axes.
        if case["call"] != "listed" and case["cell"] in TYPES and len(case["shape"]) <= 64:
            if options.filter in case["name"]:
                yield case


def main():
    """Times everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--suite", default="quick")
    parser.add_argument("--filter", default="", help="only cases whose names contain this")
    parser.add_argument("--samples", type=int, default=9)
    parser.add_argument(
        "--program",
        default="cargo run --quiet --release -p restride-perf --",
        help="how restride-perf is started",
    )
    options = parser.parse_args()
    peers = [("numpy", numpy.__version__, "`copyto` between two views", numpy_copy)]
    if torch is not None:
        torch.set_num_threads(1)
        peers.append(("torch", torch.__version__, "`copy_` between two tensors", torch_copy))
    for name, version, how, _ in peers:
        how += ", on one thread, called from Python"
        print(json.dumps({"peer": {"name": name, "version": version, "how": how}}))
    random = numpy.random.default_rng(0)
    for case in cases(options):
        src_bytes, dst_bytes = buffer(place(case, "src")[1], 0), buffer(place(case, "dst")[1], DST_OFFSET)
        # Of normal numbers in any type: the exponents' upper bits are 0 and 1.
        src_bytes[:] = random.integers(0, 256, src_bytes.size, dtype="u1")
        words = src_bytes[: src_bytes.size // 4 * 4].view("u4")
        words &= 0xBFFFFFFF
        words |= 0x20000000
        src, dst = view(src_bytes, case, "src"), view(dst_bytes, case, "dst")
        for name, _, _, make in peers:
            copy = make(src, dst)
            if copy is None:
                continue
            dst_bytes[:] = 0xA5
            copy()
            verify(case, src, dst, random)
            calls, taken = samples(copy, options.samples)
            record = {
                "case": case["name"],
                "implementation": name,
                "threads": 1,
                "calls": calls,
                "median_ns": statistics.median(taken),
                "samples_ns": taken,
            }
            print(json.dumps(record), flush=True)


if __name__ == "__main__":
    main()
