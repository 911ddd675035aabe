# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""A scripted model behind real HTTP. It follows rules and has no intelligence."""
