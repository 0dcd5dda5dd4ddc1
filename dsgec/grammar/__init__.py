"""Parse BNF grammars, and represent individuals as integers that map to phenotypes."""
