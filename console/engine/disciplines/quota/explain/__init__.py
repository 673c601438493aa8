"""Explanations of quota: texts about flavors, the search for victims, and headlines."""
