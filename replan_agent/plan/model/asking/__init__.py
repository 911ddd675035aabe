# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How a model is asked: in which way, with which prompt, and how often."""
