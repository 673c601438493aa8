"""The web server: gunicorn's processes, with waitress's connection loop and threads in each."""
