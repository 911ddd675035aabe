# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The MuJoCo model of arm and scene, written by code."""
