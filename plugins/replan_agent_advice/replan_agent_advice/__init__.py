# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Advice of a model: why a step failed, and whether a plan leads anywhere."""
