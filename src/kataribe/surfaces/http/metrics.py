"""Counts for operators, as Prometheus reads them: by route and status, never by what was asked."""

from __future__ import annotations

from collections import defaultdict

from kataribe.domain.hooks import HookLag

_BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
TEXT = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """What was asked of this process since it began."""

    def __init__(self) -> None:
        self.running = 0
        self._requests: defaultdict[tuple[str, str, int], int] = defaultdict(int)
        self._seconds: defaultdict[tuple[str, str], float] = defaultdict(float)
        self._within: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * len(_BUCKETS))
        self._count: defaultdict[tuple[str, str], int] = defaultdict(int)

    def note(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request that is over."""
        self._requests[method, route, status] += 1
        self._seconds[method, route] += seconds
        self._count[method, route] += 1
        within = self._within[method, route]
        for at, bound in enumerate(_BUCKETS):
            within[at] += seconds <= bound

    def text(self, hook: HookLag | None = None) -> str:
        """Write all counts, and how the webhook stands where there is one."""
        lines = ["# TYPE kataribe_http_requests_total counter"]
        for (method, route, status), count in sorted(self._requests.items()):
            lines.append(
                f'kataribe_http_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
            )
        lines.append("# TYPE kataribe_http_request_seconds histogram")
        for (method, route), within in sorted(self._within.items()):
            named, count = f'method="{method}",route="{route}"', self._count[method, route]
            for bound, number in zip((*_BUCKETS, "+Inf"), (*within, count), strict=True):
                lines.append(f'kataribe_http_request_seconds_bucket{{{named},le="{bound}"}} {number}')
            lines.append(f"kataribe_http_request_seconds_sum{{{named}}} {self._seconds[method, route]:.6f}")
            lines.append(f"kataribe_http_request_seconds_count{{{named}}} {count}")
        lines += [
            "# TYPE kataribe_http_requests_running gauge",
            f"kataribe_http_requests_running {self.running}",
        ]
        lines += [] if hook is None else _of_hook(hook)
        return "\n".join(lines) + "\n"


def _of_hook(hook: HookLag) -> list[str]:
    counts = {
        ("lag_units", "gauge"): hook.units + hook.gone,
        ("failures", "gauge"): hook.failures,
        ("sent_total", "counter"): hook.sent,
        ("given_up_total", "counter"): hook.given_up,
    }
    return [
        line
        for (name, kind), count in counts.items()
        for line in (f"# TYPE kataribe_webhook_{name} {kind}", f"kataribe_webhook_{name} {count}")
    ]
