"""Many runs to tables: engines × grammars × data sets × seeds, with statistics."""
