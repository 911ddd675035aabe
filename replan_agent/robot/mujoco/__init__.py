# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The embedded world: an arm, its table and a camera in MuJoCo."""
