"""`replan-agent` with its ROS commands, from the sources."""

import sys

from .ros_commands import main

sys.exit(main())
