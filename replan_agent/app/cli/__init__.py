# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command line."""

from replan_agent.app.terminal.threads import one_thread_for_matrices

one_thread_for_matrices()  # here, because the commands load numpy
