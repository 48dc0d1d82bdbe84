import { formatCountdown } from '../format.js';
import { strings } from '../strings.js';
import { Instant } from './instant.js';
import { useNow } from './use-now.js';

/** Beyond it a day and a time say more than hours. */
const MAX_COUNTED_MS = 24 * 60 * 60_000;

/** How long it is until an instant (RFC 3339), counting down; `now` from then on. Not read out: each second would be. */
export function Countdown({ until }: { readonly until: string }) {
  const leftMs = new Date(until).getTime() - useNow(1_000).getTime();
  if (leftMs > MAX_COUNTED_MS) return <Instant at={until} />;
  return (
    <span role="timer" aria-live="off">
      {leftMs <= 0 ? strings.domains.checkingNow : strings.domains.inTime(formatCountdown(leftMs))}
    </span>
  );
}
