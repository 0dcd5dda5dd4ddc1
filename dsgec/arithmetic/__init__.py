"""The one arithmetic: every function as a fixed sequence of IEEE operations."""
