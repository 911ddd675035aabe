# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded world over ROS, with the interfaces of a real arm."""

import replan_agent.ros.nodes  # noqa: F401 one thread for matrices, before numpy is loaded
