# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The tests of our packages import them from the checkout."""

import plugin_paths  # noqa: F401
