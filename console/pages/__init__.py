"""HTML pages: views, forms, presenters and template tags."""
