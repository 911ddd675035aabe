# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Puts the pieces together: configuration, composition, command line."""
