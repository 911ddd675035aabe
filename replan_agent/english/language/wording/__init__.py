"""A task in other words: what people say around a command, and other forms of the same command."""
