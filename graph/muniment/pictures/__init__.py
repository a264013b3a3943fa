"""Pictures of a mission, for notebooks and pages: static SVG that needs no network and no script.

    from muniment.pictures import budget_by_file, neighbourhood, overview, support, timeline

Each is a pure function of a snapshot or a view; equal ones give equal bytes. Sizes are bounded: what does not fit is
left out, and the picture says how much.
"""

from muniment.pictures.budget import budget_by_file
from muniment.pictures.neighbourhood import neighbourhood
from muniment.pictures.overview import overview
from muniment.pictures.picture import Picture
from muniment.pictures.support import support
from muniment.pictures.timeline import timeline

__all__ = ["Picture", "budget_by_file", "neighbourhood", "overview", "support", "timeline"]
