"""
Drops the machine code of other GPUs from a CUDA library. Keeps PTX for compute capability 9.0 (H100, H200), which the
driver compiles at its first use. Dropped parts become zeros, so the file keeps its size and addresses, and compresses
well.

    python3 one_gpu.py LIBRARY.so
"""

import subprocess
import sys

MAGIC = 0xBA55ED50
PTX, KEPT_ARCHITECTURE = 1, 90


def number(data, at, size):
    return int.from_bytes(data[at : at + size], "little")


def section(path):
    """Finds offset and size of the section with the machine code."""
    listed = subprocess.run(["readelf", "-S", "-W", path], capture_output=True, text=True, check=True).stdout
    fields = next(line for line in listed.splitlines() if ".nv_fatbin" in line).split("]")[1].split()
    return int(fields[3], 16), int(fields[4], 16)


def entries(data, start, end):
    """(kind, architecture, offset, size) of each piece of code, container by container."""
    at = start
    while at < end:
        if number(data, at, 4) != MAGIC:
            at += 8
            continue
        entry = at + number(data, at + 6, 2)
        at = entry + number(data, at + 8, 8)
        found = []
        while entry < at:
            header, size = number(data, entry + 4, 4), number(data, entry + 8, 8)
            found.append((number(data, entry, 2), number(data, entry + 28, 4), entry + header, size))
            entry += header + size
        yield found


def drop_others(data, start, end):
    """Changes `data`. Stops and returns False at a container without code for the kept kind of GPU."""
    for container in entries(data, start, end):
        if (PTX, KEPT_ARCHITECTURE) not in [(kind, architecture) for kind, architecture, _, _ in container]:
            return False
        for kind, architecture, at, length in container:
            if (kind, architecture) != (PTX, KEPT_ARCHITECTURE):
                data[at : at + length] = bytes(length)
    return True


def main():
    path = sys.argv[1]
    with open(path, "rb") as file:
        data = bytearray(file.read())
    start, size = section(path)
    if not drop_others(data, start, start + size):
        sys.exit(f"{path} has code without PTX for compute capability 9.0: it would not run there")
    with open(path, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
