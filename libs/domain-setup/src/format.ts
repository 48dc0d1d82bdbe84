const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const dayOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

const timeOnly = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A timestamp of the API (RFC 3339) in the local time zone and language. */
export function formatInstant(instant: string): string {
  return dayAndTime.format(new Date(instant));
}

/** The day of a timestamp, in the local time zone and language. */
export function formatDay(instant: string): string {
  return dayOnly.format(new Date(instant));
}

/** The time of day of a timestamp that is near, in the local time zone and language. */
export function formatTime(instant: string): string {
  return timeOnly.format(new Date(instant));
}

/** Further away, a date says more than a number of days. */
const MAX_RELATIVE_MS = 60 * DAY_MS;

/** `just now`, `4 s ago`, `3 min ago`, `2 h ago`, `in 5 d`; a date when it is more than two months away. */
export function formatRelative(instant: string, now: Date): string {
  const differenceMs = now.getTime() - new Date(instant).getTime();
  const distanceMs = Math.abs(differenceMs);
  if (distanceMs < SECOND_MS) return 'just now';
  if (distanceMs > MAX_RELATIVE_MS) return formatDay(instant);
  const distance = formatLargestUnit(distanceMs);
  return differenceMs > 0 ? `${distance} ago` : `in ${distance}`;
}

/**
 * Something that has happened, `just now` at most: the clock of the browser may be behind that of the API, and a page that is
 * shown renews its time every few seconds.
 */
export function formatPast(instant: string, now: Date): string {
  return new Date(instant) > now ? 'just now' : formatRelative(instant, now);
}

function formatLargestUnit(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.floor(ms / SECOND_MS)} s`;
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : `${Math.floor(ms / DAY_MS)} d`;
}

/** Instant in UTC, as the API writes times in its messages. */
const writtenInstant = /\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z/g;

/** A message of the API with its times in the local time zone and language (docs/decisions/0078-times-in-messages.md). */
export function localizeTimes(text: string): string {
  return text.replaceAll(writtenInstant, (instant) =>
    // Digits of a stranger may be no time.
    Number.isNaN(Date.parse(instant)) ? instant : formatInstant(instant),
  );
}

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 10 * SECOND_MS) return `${(Math.max(0, ms) / SECOND_MS).toFixed(1)} s`;
  const rounded = Math.round(ms / SECOND_MS) * SECOND_MS;
  if (rounded < MINUTE_MS) return `${rounded / SECOND_MS} s`;
  if (rounded < HOUR_MS)
    return formatUnits(rounded, { unit: 'min', unitMs: MINUTE_MS }, { unit: 's', unitMs: SECOND_MS });
  if (rounded < DAY_MS) return formatUnits(rounded, { unit: 'h', unitMs: HOUR_MS }, { unit: 'min', unitMs: MINUTE_MS });
  return formatUnits(rounded, { unit: 'd', unitMs: DAY_MS }, { unit: 'h', unitMs: HOUR_MS });
}

interface Unit {
  readonly unit: string;
  readonly unitMs: number;
}

function formatUnits(ms: number, large: Unit, small: Unit): string {
  const largeCount = Math.floor(ms / large.unitMs);
  const smallCount = Math.floor((ms - largeCount * large.unitMs) / small.unitMs);
  return smallCount === 0 ? `${largeCount} ${large.unit}` : `${largeCount} ${large.unit} ${smallCount} ${small.unit}`;
}

/** `must be a host name` as a sentence. A name keeps its lower case. */
export function sentence(text: string): string {
  const upper = /^[a-z]+(?![\w.-])/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?…]$/.test(upper) ? upper : `${upper}.`;
}
