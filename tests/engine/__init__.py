"""The native engine against the reference, which is its specification."""
