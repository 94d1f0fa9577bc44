#!/usr/bin/env bash
# From a bare Debian 12 to a checked result: sets up, builds the compiler,
# compiles examples/ffn_silu.te at the sizes of Qwen3-8B, says what was chosen,
# runs it on the best device there is and checks it.
set -euo pipefail
cd "$(dirname "$0")/.."

program=examples/ffn_silu.te
girih=build/bin/girih
out=build/quickstart
K=4096
N=12288

step="setting up (tools/setup.sh)"
hint() {
  status=$?
  [[ $status -eq 0 ]] && return
  {
    echo
    echo "quickstart: $step failed."
    case $step in
      setting*) echo "quickstart: the message above says what is missing." ;;
      configuring*)
        echo "quickstart: if the build folder is from another machine or" \
          "compiler, remove build/ and run again." ;;
      building*)
        echo "quickstart: the first error is above. Out of memory? Use fewer" \
          "jobs: GIRIH_JOBS=1 tools/quickstart.sh" ;;
      *)
        echo "quickstart: '$girih doctor' says what this machine offers;" \
          "docs/errors.md explains the codes." ;;
    esac
  } >&2
}
trap hint EXIT

say() { printf '\n== %s\n' "$*"; }

tools/setup.sh
jobs=${GIRIH_JOBS:-$(nproc)}
step="configuring"
cmake --preset release >/dev/null
step="building"
say "building the compiler (the first time takes minutes)"
cmake --build build --target girih --parallel "$jobs"

step="compiling $program"
mkdir -p "$out"
say "compiling $program for sm_90a, M=1024 K=$K N=$N: what was chosen, and why"
"$girih" compile "$program" --target=sm_90a -D M=1024 -D K=$K -D N=$N \
  --report -o "$out/ffn_silu.girih"

step="looking for a device"
device=host rows=64
cuda=$("$girih" doctor | grep '^cuda' || true)
if [[ -n $cuda && $cuda != *"not available"* ]]; then
  device=cuda rows=1024
fi

step="making inputs"
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [[ -z $python ]]; then
  echo "quickstart: no python3 with NumPy (Debian: python3-numpy)" >&2
  exit 1
fi
say "writing A and W (bf16, as 16-bit integers) to $out"
"$python" - "$out" "$rows" $K $N <<'PYTHON'
import sys
import numpy as np

out, (m, k, n) = sys.argv[1], map(int, sys.argv[2:])


def bf16(x):
    """Bits of the nearest bf16, ties to even."""
    bits = np.ascontiguousarray(x, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


draw = np.random.default_rng(1)
np.save(f"{out}/A.npy", bf16(draw.standard_normal((m, k), np.float32)))
np.save(f"{out}/W.npy", bf16(draw.standard_normal((k, n), np.float32) / k**0.5))
PYTHON
files=(A:bf16="$out/A.npy" W:bf16="$out/W.npy")

step="running on $device"
if [[ $device == cuda ]]; then
  say "running on the GPU with M=$rows"
else
  say "running on the host with M=$rows (no GPU here)"
fi
"$girih" run "$program" "${files[@]}" --device=$device --out="Y=$out/Y.npy"

step="comparing with NumPy"
say "comparing rows of Y with NumPy in f64"
"$python" - "$out" <<'PYTHON'
import sys
import numpy as np

out, rows = sys.argv[1], 4


def value(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


a = value(np.load(f"{out}/A.npy", mmap_mode="r")[:rows])
w = np.load(f"{out}/W.npy", mmap_mode="r")
y = value(np.load(f"{out}/Y.npy", mmap_mode="r")[:rows])
worst = 0.0
for begin in range(0, w.shape[1], 1024):
    c = a @ value(np.ascontiguousarray(w[:, begin : begin + 1024]))
    exact = c / (1 + np.exp(-c))
    # C and Y round to bf16 (2^-8), and near a tie C may go the other way;
    # the derivative of silu stays below 1.1.
    bound = 1.1 * (2**-7 * abs(c) + 1e-4) + 2**-8 * abs(exact)
    error = abs(y[:, begin : begin + 1024] - exact)
    worst = max(worst, (error / bound).max())
print(f"{rows} rows, {y.size} elements: largest error / bound {worst:.2f}")
if not worst <= 1:
    sys.exit("Y differs from NumPy by more than its roundings explain")
PYTHON

step="checking on $device"
if [[ $device == cuda ]]; then
  say "checking the GPU against the reference, bit by bit or within the bound"
  "$girih" check "$program" --device=cuda -D M=$rows -D K=$K -D N=$N
  say "measuring"
  "$girih" bench "$program" --device=cuda -D M=1024 -D K=$K -D N=$N
else
  say "checking that the reference does not depend on its threads"
  "$girih" check "$program" --device=host -D M=8 -D K=$K -D N=$N
fi

say "done. Next: look at a schedule,"
echo "   $girih compile $program --emit=schedule"
echo "or write a program of your own: docs/language.md"
