# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""REPLAN: what a failure means and what to do about it."""
