import { formatDay, formatInstant, formatPast, formatRelative } from '@pets/domain-setup';
import { useEffect, useState } from 'react';
import { formatCountdown } from '../format.js';
import { strings } from '../strings.js';

interface InstantProps {
  readonly at: string;
  /** Whether it may be ahead, such as an end. Anything else has happened, whatever the clock of the browser says. */
  readonly mayBeAhead?: boolean;
}

/** A timestamp of the API, relative to now, with the exact time in the local time zone on hover. */
export function Instant({ at, mayBeAhead = false }: InstantProps) {
  const now = useNow(5_000);
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {mayBeAhead ? formatRelative(at, now) : formatPast(at, now)}
    </time>
  );
}

interface DayProps {
  readonly at: string;
  /** Words before the day. */
  readonly label?: string;
}

/** A day, such as the end of a certificate, with the exact time on hover. */
export function Day({ at, label }: DayProps) {
  return (
    <time dateTime={at} title={formatInstant(at)}>
      {label} {formatDay(at)}
    </time>
  );
}

/** A longer time is shown as a date. */
const MAX_COUNTDOWN_MS = 24 * 60 * 60_000;

/** Counts down to an instant (RFC 3339). Not a live region: a screen reader would read every second. */
export function Countdown({ until }: { readonly until: string }) {
  const leftMs = new Date(until).getTime() - useNow(1_000).getTime();
  if (leftMs > MAX_COUNTDOWN_MS) return <Instant at={until} mayBeAhead />;
  return (
    <span role="timer" aria-live="off" title={formatInstant(until)}>
      {leftMs <= 0 ? strings.now : strings.inTime(formatCountdown(leftMs))}
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
