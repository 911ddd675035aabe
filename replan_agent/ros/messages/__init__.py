"""Domain values to messages and back: pure functions, no node needed."""
