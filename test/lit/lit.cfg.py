# How lit runs the text tests. Tools come from the build tree and from LLVM 22.

import ctypes
import os
import shutil

import lit.formats

config.name = "girih"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".te", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

path = [config.girih_bin, config.llvm_bin, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["NO_COLOR"] = "1"

inputs = os.path.join(config.test_source_root, "cli", "Inputs")
python = config.python
# A command that must be refused: what it says goes to standard output, and it
# must have written nothing there itself.
refusal = f"{python} {os.path.join(inputs, 'refusal.py')}"
config.substitutions += [
    ("%{refused}", f"{refusal} 1"),
    ("%{usage}", f"{refusal} 2"),
    ("%{npy}", f"{python} {os.path.join(inputs, 'npy.py')}"),
    (
        "%{safetensors}",
        f"{python} {os.path.join(inputs, 'safetensors.py')}",
    ),
    ("%{json}", f"{python} {os.path.join(inputs, 'fields.py')}"),
    ("%{phases}", f"{python} {os.path.join(inputs, 'phases.py')}"),
    ("%{examples}", config.girih_examples),
    ("%{python}", python),
]


def has_gpu():
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


config.available_features.add("gpu" if has_gpu() else "no-gpu")
if shutil.which("ptxas") or os.access("/usr/local/cuda/bin/ptxas", os.X_OK):
    config.available_features.add("ptxas")
