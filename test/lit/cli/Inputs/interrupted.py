"""interrupted.py LOG COMMAND...: runs a command on a terminal, presses Ctrl-C
when LOG holds a run, and passes on what it writes; the exit code is its own.
"""

import json
import os
import pty
import signal
import subprocess
import sys
import time

log, command = sys.argv[1], sys.argv[2:]
ours, theirs = pty.openpty()
# A group of its own, as a terminal gives it one: Ctrl-C reaches all of it.
process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs,
                           start_new_session=True)
os.close(theirs)
deadline = time.time() + 300
while process.poll() is None and time.time() < deadline:
    try:
        with open(log, encoding="utf-8") as file:
            if len(json.load(file)["runs"]) >= 2:
                os.killpg(process.pid, signal.SIGINT)
                break
    except (OSError, ValueError):
        pass
    time.sleep(0.02)
out, _ = process.communicate()
said = b""
while True:
    try:
        part = os.read(ours, 4096)
    except OSError:
        break
    if not part:
        break
    said += part
sys.stdout.write(out.decode())
sys.stdout.write(said.decode().replace("\r", "\n"))
sys.exit(process.returncode)
