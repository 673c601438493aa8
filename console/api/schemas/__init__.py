"""
Schemas of requests and responses in the OpenAPI document.

The serializers only describe; they never run. `console.reading` reads requests, and
`console.api.answers` builds responses. Tests validate every response against its schema.
"""
