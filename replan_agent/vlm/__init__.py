# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ChatModel over HTTP, recorded conversations, and a scripted model for use without one."""
