"""`python -m muniment_api` is `muniment`."""

from __future__ import annotations

from muniment_api.start import main

main()
