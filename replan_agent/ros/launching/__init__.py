# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""For the launch files: what they share."""
