"""A scripted model behind real HTTP. It follows rules and has no intelligence."""
