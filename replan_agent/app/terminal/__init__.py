"""Shared by the commands: console, exit statuses, signals, videos."""
