#!/usr/bin/env bash
# Sets up, builds everything and runs every test. Arguments go to ctest:
# tools/test.sh -R unit/poly
set -euo pipefail
cd "$(dirname "$0")/.."

step="setting up (tools/setup.sh)"
hint() {
  status=$?
  [[ $status -eq 0 ]] && return
  {
    echo
    echo "test: $step failed."
    case $step in
      setting*) echo "test: the message above says what is missing." ;;
      configuring*)
        echo "test: if the build folder is from another machine or compiler," \
          "remove build/ and run again." ;;
      building*)
        echo "test: the first error is above. Out of memory? Use fewer jobs:" \
          "GIRIH_JOBS=1 tools/test.sh" ;;
      *)
        echo "test: one test again, with all it says:" \
          "ctest --test-dir build -R NAME --output-on-failure" \
          "(docs/testing.md)" ;;
    esac
  } >&2
}
trap hint EXIT

tools/setup.sh
jobs=${GIRIH_JOBS:-$(nproc)}
step="configuring"
cmake --preset release
step="building"
cmake --build build --parallel "$jobs"
step="testing"
ctest --test-dir build --parallel "$jobs" --output-on-failure "$@"
