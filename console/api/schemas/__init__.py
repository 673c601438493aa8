"""
What the OpenAPI document says about requests and answers.

The serializers here describe and never run: requests are read by
`console.reading`, answers are built by `console.api.answers`. Tests hold every
answer against its schema.
"""
