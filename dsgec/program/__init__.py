"""Programs: typed scalars, constant tables, arrays and loops, which printers turn into source."""
