import { setTimeout as sleep } from 'node:timers/promises';
import type { Channel, NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';

export interface PollLoopOptions {
  /** Notifies of most work. */
  readonly channel: Channel;
  /** A round begins at least this often: nothing notifies of work that comes due with the time. */
  readonly pollMs: number;
  /** The shortest pause between two rounds, however often the loop is woken: so a round finds several items at once. */
  readonly pauseMs: number;
  /** Logged when a round fails; the next one tries again. */
  readonly failure: string;
  /**
   * Does what is due; ends early when the signal is aborted.
   * @returns the pause before the next round, where it is not `pauseMs`
   */
  readonly round: (signal: AbortSignal) => Promise<number | void>;
  /** Waits, after the last round, for what the rounds have left under way. */
  readonly drain?: () => Promise<unknown>;
}

interface PollLoopContext {
  readonly notifications: Pick<NotificationListener, 'next'>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Runs a round when it is woken or the time has come, until the signal is aborted. It never rejects. */
export async function runPollLoop(
  { channel, pollMs, pauseMs, failure, round, drain }: PollLoopOptions,
  { notifications, log, signal }: PollLoopContext,
): Promise<void> {
  while (!signal.aborted) {
    const wakeUp = notifications.next(channel, pollMs, signal);
    const pause = await round(signal).catch((error: unknown) => {
      log.error({ err: error }, failure);
    });
    await Promise.all([wakeUp, sleep(pause ?? pauseMs)]);
  }
  await drain?.();
}
