#!/usr/bin/env bash
# tools/robosuite.sh [ARGS]: makes .venv-robosuite (robosuite, the mujoco it needs, this package, the
# plug-in), runs the plug-in's tests, then `replan-agent bench --suite robosuite ARGS` if ARGS are given.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv-robosuite
plug_in=plugins/replan_agent_robosuite
stamp=$venv/.complete
fingerprint() { { pwd && cat setup.py plugins/replan_agent_{arms,bench,contact}/setup.py $plug_in/pyproject.toml "$0"; } | cksum; }

if [ ! -f $stamp ] || [ "$(cat $stamp)" != "$(fingerprint)" ]; then
    echo "set-up: creating $venv"
    "${PYTHON:-python3}" -m venv --clear $venv
    pip="$venv/bin/python -m pip install --quiet"
    # replan_agent asks for a newer mujoco than robosuite works with, and robosuite for drivers of
    # keyboards and an opencv with windows: both are installed without what they ask for.
    $pip 'mujoco>=3.3,<3.4' numba scipy Pillow termcolor tqdm opencv-python-headless \
        jsonschema PyYAML rich 'transforms3d>=0.4.2' matplotlib pytest 'setuptools>=70.1'
    $pip --no-deps robosuite==1.5.2
    $pip --no-deps --no-build-isolation -e . -e plugins/replan_agent_arms -e plugins/replan_agent_bench \
        -e plugins/replan_agent_contact -e $plug_in
    fingerprint > $stamp
fi
$venv/bin/python -m pytest -q $plug_in/test
if [ $# -gt 0 ]; then
    exec $venv/bin/replan-agent bench --suite robosuite "$@"
fi
