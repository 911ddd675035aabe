# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the loop does about a failed step: changes, small actions around it, a question."""
