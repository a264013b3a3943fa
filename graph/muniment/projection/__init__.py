"""The projection: the graph in an embedded engine (Kuzu, or ladybug), disposable and rebuilt from the journal."""
