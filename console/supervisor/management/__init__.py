"""Commands that start the processes of one machine, and the traffic of the demo."""
