"""Closeout: which claims are proven, unproven or contradicted, and by what."""
