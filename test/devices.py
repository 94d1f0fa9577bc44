"""Which devices a build of girih finds, for the tests that run on one."""

import subprocess


def missing(girih, device):
    """What `girih doctor` says of a device that is not there; None if it is."""
    doctor = subprocess.run([girih, "doctor"], capture_output=True, text=True,
                            check=False)
    for line in doctor.stdout.splitlines():
        if line.split()[:1] == [device] and "not available" in line:
            return line
    return None


def skips(girih, device):
    """Whether the test has to be skipped; says so."""
    line = missing(girih, device)
    if line:
        print("SKIPPED:", line)
    return line is not None
