"""Wall clocks of sources that count seconds or milliseconds since 1970, as ISO 8601 in UTC; shown to people only."""

from __future__ import annotations

_DAY = 86_400
_LAST = 253_402_300_799
"""The last second of the year 9999."""


def iso_of(seconds: object) -> str | None:
    """Return the time that is `seconds` after the beginning of 1970; None where that is no number of a sane size."""
    if not isinstance(seconds, int | float) or isinstance(seconds, bool) or not 0 <= seconds <= _LAST:
        return None
    thousandths = round(seconds * 1000)
    whole, part = divmod(thousandths, 1000)
    days, second = divmod(whole, _DAY)
    year, month, day = _civil(days)
    hour, minute = divmod(second // 60, 60)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second % 60:02}.{part:03}Z"


def iso_of_thousandths(thousandths: object) -> str | None:
    """Return the time that is so many thousandths of a second after the beginning of 1970."""
    if not isinstance(thousandths, int | float) or isinstance(thousandths, bool):
        return None
    return iso_of(thousandths / 1000)


def _civil(days: int) -> tuple[int, int, int]:
    """Return year, month and day of a day counted from 1970-01-01, by the rules of the Gregorian calendar.

    Years begin in March here, so that the leap day is the last of its year; 719,468 days lie between 0000-03-01 and
    1970-01-01.
    """
    era, day_of_era = divmod(days + 719_468, 146_097)
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    march_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * march_month + 2) // 5 + 1
    month = march_month + 3 if march_month < 10 else march_month - 9
    return era * 400 + year_of_era + (month <= 2), month, day
