"""Networks and numbers to pictures."""
