import { useEffect, useState } from 'react';
import { formatCountdown, formatInstant } from '../format.js';
import { strings } from '../strings.js';

/** A timestamp of the API in the local time zone. */
export function Instant({ at }: { readonly at: string }) {
  return <time dateTime={at}>{formatInstant(at)}</time>;
}

/** A longer time is shown as a date. */
const MAX_COUNTDOWN_MS = 24 * 60 * 60_000;

/** Counts down to an instant (RFC 3339). Not a live region: a screen reader would read every second. */
export function Countdown({ until }: { readonly until: string }) {
  const leftMs = new Date(until).getTime() - useNow(1_000).getTime();
  if (leftMs > MAX_COUNTDOWN_MS) return <Instant at={until} />;
  return (
    <span role="timer" aria-live="off">
      {leftMs <= 0 ? strings.domains.checkingNow : strings.domains.inTime(formatCountdown(leftMs))}
    </span>
  );
}

/** The current time, updated at the interval. */
export function useNow(intervalMs: number): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}
