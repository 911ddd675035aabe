"""The suites: what is drawn, how an episode is run, and which numbers are shown."""
