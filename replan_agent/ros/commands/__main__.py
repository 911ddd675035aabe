# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""`replan-agent` with its ROS commands, from the sources."""

import sys

from .ros_commands import main

sys.exit(main())
