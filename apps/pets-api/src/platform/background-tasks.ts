import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { AutoResetEvent } from '@pets/async';
import type { Channel, NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { LOG, NOTIFICATIONS } from './providers.js';
import { ApiMetrics } from './metrics/api-metrics.js';
import { ShuttingDown } from './shutting-down.js';

/**
 * Runs loops and sweeps in the background. Providers register them in `onModuleInit`; they start with the application.
 * At shutdown no new round starts, and the application waits for those in progress.
 */
@Injectable()
export class BackgroundTasks implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loops: PollLoopOptions[] = [];
  private readonly repeated: RepeatedTask[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running: (() => Promise<unknown>)[] = [];

  constructor(
    private readonly shuttingDown: ShuttingDown,
    @Inject(NOTIFICATIONS) private readonly notifications: Pick<NotificationListener, 'next'>,
    private readonly metrics: ApiMetrics,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  poll(loop: PollLoopOptions): void {
    this.loops.push(loop);
  }

  /** Runs at intervals, without overlap. A failure is logged and counted; the next run tries again. */
  repeat(task: RepeatedTask): void {
    this.repeated.push(task);
  }

  /** Sweeps at once. @returns how many rows were cleared; a failure is logged */
  sweep(options: Sweep): Promise<number> {
    return sweep(options, { onFailure: this.onFailure, signal: this.shuttingDown.signal });
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) {
      const { notifications, onFailure } = this;
      const done = runPollLoop(loop, { notifications, onFailure, signal: this.shuttingDown.signal });
      this.running.push(() => done);
    }
    for (const { everyMs, failure, run } of this.repeated) {
      let last: Promise<unknown> = Promise.resolve();
      const runNext = () => {
        // Never two at once, even if one takes longer than the interval.
        last = last.then(run).catch((error: unknown) => this.onFailure(error, failure));
      };
      this.timers.push(setInterval(runNext, everyMs).unref());
      this.running.push(() => last);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running.map((last) => last()));
  }

  private readonly onFailure: OnFailure = (error, failure) => {
    this.metrics.backgroundFailure(failure);
    this.log.warn({ err: error }, failure);
  };
}

/** @param failure what was not done, in words that are the same each time */
type OnFailure = (error: unknown, failure: string) => void;

export interface RepeatedTask {
  readonly everyMs: number;
  /** Logged and counted when a run fails. */
  readonly failure: string;
  readonly run: () => Promise<unknown>;
}

export interface PollLoopOptions {
  /** Notifies of most work: other processes by a channel, this one by an event. */
  readonly channel?: Channel;
  readonly event?: AutoResetEvent;
  /** The longest pause: no notification announces work that becomes due over time. */
  readonly pollMs: number;
  /** The shortest pause between two rounds, however often the loop is woken: so a round finds several items at once. */
  readonly pauseMs: number;
  /** Logged and counted when a round fails; the next one tries again. */
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
  readonly onFailure: OnFailure;
  readonly signal: AbortSignal;
}

/** Runs a round on a notification or after `pollMs`, until the signal is aborted. Never rejects. */
async function runPollLoop(
  { channel, event, pollMs, pauseMs, failure, round, drain }: PollLoopOptions,
  { notifications, onFailure, signal }: PollLoopContext,
): Promise<void> {
  signal.addEventListener('abort', () => event?.set());
  while (!signal.aborted) {
    const notified = channel === undefined ? null : notifications.next(channel, pollMs, signal);
    const pause = await round(signal).catch((error: unknown) => onFailure(error, failure));
    await Promise.all([notified, event?.wait(pollMs), sleep(pause ?? pauseMs)]);
  }
  await drain?.();
}

export interface Sweep {
  /** Rows a statement: each is short, so that no vacuum or backup waits for it. */
  readonly batch: number;
  /** Logged and counted when it fails; the next sweep is soon enough. */
  readonly failure: string;
  /** @returns how many rows it has cleared, at most `limit` */
  readonly clear: (limit: number) => Promise<number>;
}

/** Clears in batches, until one is not full or the signal is aborted. It never rejects. @returns how many rows were cleared */
async function sweep(
  { batch, failure, clear }: Sweep,
  { onFailure, signal }: { readonly onFailure: OnFailure; readonly signal: AbortSignal },
): Promise<number> {
  let total = 0;
  try {
    while (!signal.aborted) {
      const cleared = await clear(batch);
      total += cleared;
      if (cleared < batch) break;
    }
  } catch (error) {
    onFailure(error, failure);
  }
  return total;
}
