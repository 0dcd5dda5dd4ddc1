"""Read tables from files and arrays, and prepare them as data sets."""
