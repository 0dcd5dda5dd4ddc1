"""dsgec and other learners on the same tables and rows, to a page that compares them."""
