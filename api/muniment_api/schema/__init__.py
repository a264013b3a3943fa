"""The GraphQL schema, built once per process (see `build`)."""
