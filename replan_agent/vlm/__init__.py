"""The ChatModel over HTTP, recorded conversations, and a scripted model for use without one."""
