"""The toy discipline `slots`: each line admits in FIFO order up to its limit; for tests only."""
