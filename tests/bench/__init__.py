"""The traces, the tracker that checks them, and their replay."""
