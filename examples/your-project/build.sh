#!/bin/sh
# Compiles the project where there is no Lake: `build.sh path/to/lean`. With Lake, `lake build` does the same.
set -eu
cd "$(dirname "$0")"
lean=${1:-lean}
out=.lake/build/lib/lean
mkdir -p "$out/Shelf"
for module in Shelf/Basic Shelf/Lists Shelf/Trees Shelf; do
  LEAN_PATH=$out "$lean" -o "$out/$module.olean" "$module.lean"
done
