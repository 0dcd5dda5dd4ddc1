"""Generated files; do not edit."""
