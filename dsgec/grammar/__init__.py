"""BNF text to a checked Grammar."""
