#!/usr/bin/env bash
# Runs a command on the machine, in the environment that the others need: CUDA's libraries where llama.cpp finds them, and a Python
# with PyTorch and the carried packages as $STP_LEASE/python3.
set -euo pipefail
# llama.cpp's logits are read by Node's threads, one for each sample that is decoded.
export HF_HUB_OFFLINE=1 PYTHONUNBUFFERED=1 UV_THREADPOOL_SIZE=${UV_THREADPOOL_SIZE:-16}
if [ ! -x "$STP_LEASE/python3" ]; then
  printf '#!/bin/sh\nexport PYTHONPATH=%s HF_HUB_OFFLINE=1\nexec %s "$@"\n' "$STP_LEASE/site" "$(command -v python3)" > "$STP_LEASE/python3"
  chmod +x "$STP_LEASE/python3"
fi
libraries=$(python3 - << 'P'
import glob, os, sysconfig

roots = [sysconfig.get_paths()["purelib"] + "/nvidia/**", "/usr/local/cuda*/lib64", "/usr/local/nvidia/lib*", "/usr/lib/x86_64-linux-gnu"]
names = ("libcudart.so.13", "libcublas.so.13", "libcublasLt.so.13", "libcuda.so.1", "libnvidia-ml.so.1")
found = [next((path for root in roots for path in glob.glob(f"{root}/{name}", recursive=True)), None) for name in names]
print(":".join(dict.fromkeys(os.path.dirname(path) for path in found if path)))
P
)
export LD_LIBRARY_PATH=$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
exec "$@"
