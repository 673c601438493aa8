"""The pages: what people see in the browser."""
