"""Moments told by a cron expression."""

from kataribe.adapters.cron.times import cron_times

__all__ = ["cron_times"]
