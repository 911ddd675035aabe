# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Shared by the commands: console, exit statuses, signals, videos."""
