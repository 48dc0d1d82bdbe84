const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A timestamp of the API (RFC 3339) in the local time zone and language. */
export function formatInstant(instant: string): string {
  return dayAndTime.format(new Date(instant));
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

/** The remaining time in seconds, rounded up: `0:07`, `12:30`, `1:02:03`. */
export function formatCountdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / SECOND_MS));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const pad = (value: number) => String(value).padStart(2, '0');
  const minutesAndSeconds = `${hours > 0 ? pad(minutes) : minutes}:${pad(seconds % 60)}`;
  return hours > 0 ? `${hours}:${minutesAndSeconds}` : minutesAndSeconds;
}

/** `512 B`, `18 KiB`, `1.5 MiB`, `20.0 GiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const kibibytes = bytes / 1024;
  if (kibibytes < 1024) return `${Math.round(kibibytes)} KiB`;
  const mebibytes = kibibytes / 1024;
  return mebibytes < 1024 ? `${mebibytes.toFixed(1)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
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

/** `100,000`, in the local language. */
export function formatCount(count: number): string {
  return count.toLocaleString();
}
