"""First thing that the emulated Python runs: hides the emulator from what runs in it."""

import os
import sys

# Children must be started through the wrapper, too, not as the x86_64 file.
if 'REPLAN_AGENT_ROS_PYTHON' in os.environ:
    sys.executable = os.environ['REPLAN_AGENT_ROS_PYTHON']
    sys._base_executable = sys.executable  # type: ignore[attr-defined]

sys.argv[:] = ['-t' if word == '@DASH_T@' else word for word in sys.argv]
