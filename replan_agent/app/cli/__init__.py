"""The command line."""

from replan_agent.app.terminal.threads import one_thread_for_matrices

one_thread_for_matrices()  # here, because the commands load numpy
