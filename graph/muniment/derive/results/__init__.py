"""Structured results: what runners, linters and builds write for programs (JUnit XML, JSON, streams of events, TAP)."""
