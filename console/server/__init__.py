"""The web server: gunicorn's processes, with waitress's connections in front of their threads."""
