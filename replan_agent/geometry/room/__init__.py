"""Where there is room: on the table, on a thing, in a container, around the hand."""
