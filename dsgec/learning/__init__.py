"""Learning: how the numbers of a phenotype are changed to lower its loss."""
