# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""The six nodes."""

from replan_agent.app.terminal.threads import one_thread_for_matrices

one_thread_for_matrices()  # here, because the nodes load numpy
