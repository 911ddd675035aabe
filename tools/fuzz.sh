#!/usr/bin/env bash
# tools/fuzz.sh MINUTES: runs the tests marked `fuzz` on new random examples until the time is over.
# Stops at the first failure, with the example. .hypothesis keeps it: the next run tries it first.
set -euo pipefail
cd "$(dirname "$0")/.."

minutes=${1:-5}
case $minutes in ''|*[!0-9]*) echo "MINUTES must be a whole number, not $minutes" >&2; exit 2 ;; esac
tools/bootstrap.sh dev,vlm
until=$((SECONDS + 60 * minutes)) round=0
while [ $round -eq 0 ] || [ $SECONDS -lt $until ]; do
    round=$((round + 1))
    printf '\n=== round %d\n' "$round"
    HYPOTHESIS_PROFILE=fuzz .venv/bin/python -m pytest -q -x -n auto --maxprocesses 4 -m fuzz \
        test/fuzz test/unit
done
