# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""YAML, JSON, files and words from outside, none of it trusted."""
