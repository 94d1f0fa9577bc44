"""exits.py CODE COMMAND...: runs a command that must end with exit code CODE;
passes on its standard output.
"""

import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL)
if done.returncode != int(sys.argv[1]):
    sys.exit(f"exit code {done.returncode}, expected {sys.argv[1]}")
