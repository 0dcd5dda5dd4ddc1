"""Print, compile, cache and load the native engine and other generated code."""
