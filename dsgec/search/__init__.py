"""Search for networks: score, select, vary and learn them, and choose the one to recommend."""
