"""Views: parse the request, call queries or services, and render a template with presenters."""
