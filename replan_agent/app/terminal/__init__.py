"""What the commands share: console, exit statuses, signals, films."""
