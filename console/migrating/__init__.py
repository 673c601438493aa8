"""Migrations beside a version that goes on running: what they wait for, and who is of which age."""
