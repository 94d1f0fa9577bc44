"""refusal.py CODE COMMAND...: runs a command that must end with exit code CODE
and write nothing to standard output; passes on what it says on standard error.
"""

import subprocess
import sys

code, command = int(sys.argv[1]), sys.argv[2:]
done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL)
sys.stdout.buffer.write(done.stderr)
sys.stdout.flush()
if done.returncode != code:
    sys.exit(f"exit code {done.returncode}, expected {code}: {command}")
if done.stdout:
    sys.exit(f"{len(done.stdout)} bytes on standard output: {command}")
if not done.stderr:
    sys.exit(f"refused without a word: {command}")
