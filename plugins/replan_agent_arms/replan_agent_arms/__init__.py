# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arms that a small file beside a URDF or MJCF describes."""
