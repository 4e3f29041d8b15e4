"""What a graph knows beside its program: nodes, types, modules, lines, and memory."""
