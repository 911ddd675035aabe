# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""How many threads a process of ours uses for matrices: one."""

from __future__ import annotations

import os

OPENBLAS = 'OPENBLAS_NUM_THREADS'


def one_thread_for_matrices() -> None:
    """Call it before numpy is loaded. A number that the user has set stays.

    OpenBLAS, which numpy, scipy and OpenCV bring, starts a thread for each core. Our matrices are
    small: on 16 cores a task took 4 to 14 times the processor time and was no faster, because
    the threads wait busily. That time belongs to other processes, such as an arm's controller.
    """
    os.environ.setdefault(OPENBLAS, '1')
