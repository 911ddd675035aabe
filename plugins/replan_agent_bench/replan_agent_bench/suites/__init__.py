"""The suites: their random cases, episodes and numbers."""
