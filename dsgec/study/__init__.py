"""Many runs to tables: representations × grammars × data sets × seeds, with statistics."""
