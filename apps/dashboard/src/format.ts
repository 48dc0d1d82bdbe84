const SECOND_MS = 1000;
const DAY_MS = 24 * 60 * 60 * SECOND_MS;

/** `in 90 days`, `3 days ago`, `today`: of a day that is shown beside it. */
export function formatDays(instant: string, now: Date): string {
  const days = Math.floor((new Date(instant).getTime() - now.getTime()) / DAY_MS);
  if (days === 0) return 'within a day';
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  return days > 0 ? `in ${count}` : `${count} ago`;
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

/** `100,000`, in the local language. */
export function formatCount(count: number): string {
  return count.toLocaleString();
}
