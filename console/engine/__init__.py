"""The admission engine: values in, decisions out; standard library only."""
