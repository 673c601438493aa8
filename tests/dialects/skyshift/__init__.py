"""Tests of the SkyShift dialect."""
