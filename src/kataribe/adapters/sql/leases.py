"""Who works on which episode, as SQL. The conditions on `episodes` are those of `ix_episodes_lagging`."""

from __future__ import annotations

_LAGGING = """
FROM episodes e
LEFT JOIN work w ON w.story_id = e.story_id AND w.kind = 'remember' AND w.key = e.episode_id
WHERE e.story_id = ? AND e.deleted_at IS NULL AND NOT e.visible
  AND NOT (w.fingerprint IS e.wanted AND w.outcome IN ('dead', 'dropped'))
"""
LAGGING = f"SELECT e.episode_id {_LAGGING} ORDER BY e.no"
DUE = f"""
SELECT e.episode_id {_LAGGING}
  AND (w.lease IS NULL OR w.leased_until <= ?)
  AND NOT (w.fingerprint IS e.wanted AND w.outcome = 'failed' AND coalesce(w.due_at, 0) > ?)
ORDER BY e.no LIMIT ?
"""
NEXT_DUE = f"""
SELECT min(max(CASE WHEN w.lease IS NOT NULL THEN w.leased_until ELSE 0 END,
               CASE WHEN w.fingerprint IS e.wanted AND w.outcome = 'failed'
                    THEN coalesce(w.due_at, 0) ELSE 0 END)) AS at
{_LAGGING}
"""
THESE = """
SELECT e.episode_id FROM episodes e
LEFT JOIN work w ON w.story_id = e.story_id AND w.kind = 'remember' AND w.key = e.episode_id
WHERE e.story_id = ? AND e.deleted_at IS NULL AND e.episode_id IN (SELECT value FROM json_each(?))
  AND (w.lease IS NULL OR w.leased_until <= ?)
ORDER BY e.no LIMIT ?
"""
CLAIM = """
INSERT INTO work (story_id, kind, key, fingerprint, outcome, attempts, lease, worker, leased_until)
VALUES (?, 'remember', ?, '', 'due', 0, ?, ?, ?)
ON CONFLICT (story_id, kind, key) DO UPDATE
SET lease = excluded.lease, worker = excluded.worker, leased_until = excluded.leased_until
"""
_LET_GO = "UPDATE work SET lease = NULL, worker = NULL, leased_until = NULL"

HOLDERS = """
SELECT DISTINCT worker FROM work INDEXED BY ix_work_lease WHERE story_id = ? AND lease IS NOT NULL
"""
HELD = "SELECT key FROM work WHERE lease = ? AND leased_until > ?"
RENEW = "UPDATE work SET leased_until = ? WHERE lease = ? AND leased_until > ?"
RELEASE = f"{_LET_GO} WHERE lease = ?"
VOID = f"{_LET_GO} WHERE lease IS NOT NULL AND worker = ?"
FREE = f"{_LET_GO} WHERE story_id = ? AND kind = 'remember' AND key = ? AND lease IS NOT NULL"

_FAILED = """
WHERE story_id = ? AND kind = 'remember' AND (? IS NULL OR key = ?)
"""
CLEAR = f"""
UPDATE work SET outcome = 'due', attempts = 0, error = NULL, due_at = NULL {_FAILED}
  AND lease IS NOT NULL AND outcome IN ('failed', 'dead')
"""
FORGET = f"""
DELETE FROM work {_FAILED}
  AND lease IS NULL AND (outcome IN ('failed', 'dead') OR (outcome = 'dropped' AND ? IS NOT NULL))
"""
