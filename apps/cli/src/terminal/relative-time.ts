const units = [
  { ms: 24 * 60 * 60_000, name: 'day' },
  { ms: 60 * 60_000, name: 'hour' },
  { ms: 60_000, name: 'minute' },
] as const;

const SECOND_MS = 1_000;

/** Further away, a date says more than a number of days. */
const MAX_RELATIVE_MS = 60 * 24 * 60 * 60_000;

/**
 * `now`, `4 s ago`, `3 minutes ago`, `in 2 hours`; a day in UTC when it is more than two months away.
 * @param instant RFC 3339
 */
export function relativeTime(instant: string, now: Date): string {
  const differenceMs = Date.parse(instant) - now.getTime();
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs > MAX_RELATIVE_MS) return instant.slice(0, 'YYYY-MM-DD'.length);
  if (distanceMs < SECOND_MS) return 'now';
  const distance = describe(distanceMs);
  return differenceMs < 0 ? `${distance} ago` : `in ${distance}`;
}

/** An instant in UTC, as the API writes times in its messages. */
const writtenInstant = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z/g;

/** A message of the API with its times in the local time zone: `until 10:25 (in 15 minutes)`, `on 2026-12-05 (in 3 days)`. */
export function withLocalTimes(text: string, now: Date): string {
  return text.replaceAll(writtenInstant, (instant) => {
    const at = new Date(instant);
    const isNear = Math.abs(at.getTime() - now.getTime()) < MAX_CLOCK_MS;
    const relative = relativeTime(instant, now);
    const shown = isNear ? clock.format(at) : day.format(at);
    return /^\d{4}-/.test(relative) ? shown : `${shown} (${relative})`;
  });
}

/** Nearer times are shown by the clock, others by the day. */
const MAX_CLOCK_MS = 12 * 60 * 60_000;

/** Sweden writes 24 hours, and days as ISO 8601 does. */
const clock = new Intl.DateTimeFormat('sv-SE', { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short' });

function describe(ms: number): string {
  const unit = units.find((each) => ms >= each.ms);
  if (unit === undefined) return `${Math.floor(ms / SECOND_MS)} s`;
  const count = Math.floor(ms / unit.ms);
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
