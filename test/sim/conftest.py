# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""These tests may use our packages in plugins/."""

import plugin_paths  # noqa: F401
