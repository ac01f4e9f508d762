# What is installed. Each function is a step; it may be run again at any time.

readonly PACKAGES='ca-certificates curl git python3 python3-venv bubblewrap uidmap'

install_packages() {
  local missing=() package
  for package in $PACKAGES; do
    dpkg-query --show --showformat='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
  done
  [ "${#missing[@]}" -gt 0 ] || return 0
  export DEBIAN_FRONTEND=noninteractive
  apt-get update --quiet
  apt-get install --quiet --yes --no-install-recommends "${missing[@]}"
}

make_user() {
  id "$WORKER_USER" >/dev/null 2>&1 || useradd --system --create-home --home-dir "$STATE/home" --shell /usr/sbin/nologin "$WORKER_USER"
  mkdir -p "$STATE/cache" "$STATE/scratch" "$SOFTWARE"
  chown "$WORKER_USER": "$STATE/cache" "$STATE/scratch" "$STATE/home"
}

# Node, the worker and its packages in one archive, held against its checksum before anything of it is unpacked.
install_bundle() {
  local archive=$STATE/bundle.tar.gz folder=$SOFTWARE/worker-${BUNDLE_SHA256:0:16}
  if [ ! -d "$folder" ]; then
    fetch "$BUNDLE" "$archive"
    if ! printf '%s  %s\n' "$BUNDLE_SHA256" "$archive" | sha256sum --check --status; then
      printf 'the bundle %s has the SHA-256 %s\n' "$BUNDLE" "$(sha256sum "$archive" | cut -d ' ' -f 1)" >&2
      rm -f "$archive"
      die "the checksum that the node was made with is $BUNDLE_SHA256: make the bundle anew (bin/stp nodes bundle) and use its checksum"
    fi
    rm -rf "$folder.partial"
    mkdir -p "$folder.partial"
    tar --extract --gzip --no-same-owner --file "$archive" --directory "$folder.partial"
    mv "$folder.partial" "$folder"
    rm -f "$archive"
  fi
  "$folder/node_modules/node/bin/node" --version
  ln -sfn "$folder" "$SOFTWARE/worker"
}

# Lean and Mathlib at their revisions, compiled files from Mathlib's cache: now, and never while proofs are checked.
install_lean() {
  local elan_home=$SOFTWARE/elan mathlib=$SOFTWARE/mathlib archive=$STATE/elan.tar.gz
  export ELAN_HOME=$elan_home HOME=$STATE PATH=$elan_home/bin:$PATH
  if [ ! -x "$elan_home/bin/elan" ]; then
    curl --silent --show-error --fail --location --retry 5 --max-time 600 --output "$archive" "$ELAN_URL"
    printf '%s  %s\n' "$ELAN_SHA256" "$archive" | sha256sum --check --status || die "elan $ELAN_VERSION does not have its checksum"
    tar --extract --gzip --file "$archive" --directory "$STATE"
    "$STATE/elan-init" -y --no-modify-path --default-toolchain none
    rm -f "$archive" "$STATE/elan-init"
  fi
  elan toolchain install "$LEAN_TOOLCHAIN"
  elan default "$LEAN_TOOLCHAIN"
  if [ "$(git -C "$mathlib" rev-parse HEAD 2>/dev/null)" != "$MATHLIB_REVISION" ]; then
    rm -rf "$mathlib"
    git init --quiet "$mathlib"
    git -C "$mathlib" fetch --quiet --depth 1 "$MATHLIB_REPOSITORY" "$MATHLIB_REVISION"
    git -C "$mathlib" checkout --quiet --detach FETCH_HEAD
  fi
  [ "$(cat "$mathlib/lean-toolchain")" = "$LEAN_TOOLCHAIN" ] || die "Mathlib $MATHLIB_REVISION asks for $(cat "$mathlib/lean-toolchain"), the pin is $LEAN_TOOLCHAIN"
  (cd "$mathlib" && lake exe cache get && lake build --no-build Mathlib)
  ln -sfn "$(elan which lean)" "$SOFTWARE/lean"
}

# One environment of Python packages, every one of them named. A half-made one is not used: it gets its name when it is whole.
install_environment() {
  local name=$1 folder=$SOFTWARE/venv/$1
  shift
  if [ ! -x "$SOFTWARE/uv/bin/uv" ]; then
    python3 -m venv "$SOFTWARE/uv"
    "$SOFTWARE/uv/bin/pip" install --quiet "uv==$UV_VERSION"
  fi
  export UV_PYTHON_INSTALL_DIR=$SOFTWARE/python UV_CACHE_DIR=$STATE/uv-cache HOME=$STATE
  rm -rf "$folder"
  "$SOFTWARE/uv/bin/uv" venv --quiet --python "$PYTHON_VERSION" "$folder"
  # If the step was interrupted, it has no mark and is done again.
  "$SOFTWARE/uv/bin/uv" pip install --quiet --no-deps --prerelease allow --python "$folder/bin/python" "$@"
}
