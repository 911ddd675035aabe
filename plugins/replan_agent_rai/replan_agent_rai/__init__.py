# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""RAI's manipulation scenarios in our world, scored by RAI's own code."""
