"""Source text to something that can be called."""
