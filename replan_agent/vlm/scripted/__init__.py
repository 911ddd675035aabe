"""A scripted model behind real HTTP. There is no intelligence in it."""
