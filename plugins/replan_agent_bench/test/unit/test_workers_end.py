# Copyright 2026 replan_agent maintainers
# SPDX-License-Identifier: Apache-2.0
"""Worker processes do not outlive the main process."""

import os
import select
import signal
import subprocess
import sys

import pytest

MAIN = """
import os, signal
from replan_agent_bench.running.workers import worker_pool

if __name__ == '__main__':
    pool = worker_pool(1)
    print(pool.submit(os.getpid).result(), flush=True)
    pool.submit(signal.pause).result()
"""
PATIENCE_S = 60.0


@pytest.mark.parametrize('how', [signal.SIGTERM, signal.SIGKILL])
def test_a_worker_ends_when_its_main_process_is_killed(tmp_path, how):
    script = tmp_path / 'main.py'
    script.write_text(MAIN)
    with subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True) as main:
        worker = os.pidfd_open(int(main.stdout.readline()))
        try:
            main.send_signal(how)
            main.wait(PATIENCE_S)
            ended, _, _ = select.select([worker], [], [], PATIENCE_S)
            if not ended:
                signal.pidfd_send_signal(worker, signal.SIGKILL)
            assert ended
        finally:
            os.close(worker)
