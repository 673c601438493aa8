"""The documentation: the Markdown documents of `docs/` as pages of the console."""
