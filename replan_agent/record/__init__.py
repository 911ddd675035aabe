# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The run folder: what happened, on disk as it happens."""
