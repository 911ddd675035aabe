"""The ChatModel over HTTP, recorded conversations, and a scripted model for when there is none."""
