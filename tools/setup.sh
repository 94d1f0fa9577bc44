#!/usr/bin/env bash
# Installs what building Girih needs on Debian 12, and nothing that is there
# already; with --fuzz also clang, for the fuzz targets. Run as root, or as a
# user who may use sudo. Safe to run again.
set -euo pipefail

packages=(
  build-essential cmake ninja-build
  llvm-22-dev libmlir-22-dev mlir-22-tools llvm-22-tools lld-22
  libzstd-dev zlib1g-dev     # what LLVM's archives refer to
  libisl-dev libgmp-dev      # the polyhedral library and its integers
  libfmt-dev catch2
  python3 python3-numpy      # lints, and the inputs of the quickstart
  clang-format-14
)

say() { echo "setup: $*" >&2; }
fail() {
  say "$*"
  exit 1
}

if ! command -v dpkg-query >/dev/null; then
  fail "this is not Debian (no dpkg-query). Install by your system's own means:" \
    "${packages[*]}. LLVM and MLIR must be version 22."
fi

# Only for the fuzz targets (docs/testing.md, "Fuzzing").
if [[ ${1:-} == --fuzz ]]; then
  packages+=(clang libclang-rt-14-dev)
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [[ $state == ii* ]] || missing+=("$package")
done
if [[ ${#missing[@]} -eq 0 ]]; then
  say "all packages are installed"
  exit 0
fi

as_root=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null ||
    fail "neither root nor sudo; as root run: apt-get install ${missing[*]}"
  as_root=(sudo)
fi

say "installing: ${missing[*]}"
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y)
"${apt[@]}" update >&2 || say "apt-get update failed; trying what is known"
for package in "${missing[@]}"; do
  if ! apt-cache show "$package" >/dev/null 2>&1; then
    # shellcheck disable=SC1091
    system=$(. /etc/os-release && echo "${PRETTY_NAME:-unknown}")
    fail "this system ($system) offers no package '$package'." \
      "Girih is built on Debian 12, whose archive has it."
  fi
done
"${apt[@]}" install --no-install-recommends "${missing[@]}" >&2 ||
  fail "apt-get could not install: ${missing[*]}"
say "done"
