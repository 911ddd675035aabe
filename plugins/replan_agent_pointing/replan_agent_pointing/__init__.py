# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A model points at objects that colour and shape cannot name."""
