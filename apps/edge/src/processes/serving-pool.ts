import { exponentialDelayMs, pause } from '@pets/async';
import { sumCounters, type Logger, type MetricValues } from '@pets/platform';
import type { FeedProcess, PublishedChange, PublishedTable } from '../feed/serving-processes.js';
import { ServingChild, type Exit, type Program } from './serving-child.js';
import { DRAIN_LIMIT_MS, type FeedMessage, type ProcessCounts, type ServingSide } from './serving-side.js';
import type { Sockets } from './sockets.js';

/** A process that owes an answer for this many ticks is killed: it may be serving what was removed. */
const TICK_MS = 500;
const SILENCE_LIMIT_TICKS = 20;
/** The same for a process that loads its program. */
const START_LIMIT_TICKS = 60;
/** Interval at which a process that sends no messages is asked whether it still answers. */
const PING_TICKS = 10;

/** Time that a process needs for its exit besides the drain of its connections. */
const EXIT_LIMIT_MS = 1_500;

const RESTART_DELAY = { firstMs: 100, maxMs: 5_000 };
/** A process that has served for this long has not failed because of its start. */
const STABLE_MS = 30_000;

export interface PoolOptions {
  readonly processes: number;
  readonly program: Pick<Program, 'path' | 'execArgv'>;
  readonly sockets: Sockets;
  readonly feed: FeedProcess;
  readonly log: Logger;
}

/**
 * The serving processes of an edge. Starts them, replaces each one that ends, and sends every message to all of them.
 *
 * A process receives nothing before it has started, then what is published at that moment, and from then on every message. So
 * it never serves an older state than the others, and an acknowledgement need not wait for it before.
 */
export class ServingPool implements ServingSide {
  readonly #options: PoolOptions;
  readonly #children = new Set<ServingChild>();
  readonly #stopping = new AbortController();
  readonly #ticker: NodeJS.Timeout;
  #table: PublishedTable | undefined;
  #contactAtMs: number | undefined;
  #mayListen = false;
  #onListening: () => void = () => undefined;
  #retained: MetricValues = [];
  #restarts = 0;
  #ticks = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    for (let count = 0; count < options.processes; count++) void this.#keepRunning();
    this.#ticker = setInterval(() => this.#tick(), TICK_MS);
  }

  get isListening(): boolean {
    return this.counts.listening === this.#options.processes;
  }

  get counts(): ProcessCounts {
    const listening = [...this.#children].filter(({ isListening }) => isListening).length;
    return { listening, restarts: this.#restarts };
  }

  async tableReplaced(table: PublishedTable): Promise<void> {
    this.#table = table;
    await this.#requestAll({ kind: 'table', table });
  }

  async changed(change: PublishedChange): Promise<void> {
    const { thumbprint, platformCertificate } = change;
    if (this.#table !== undefined) this.#table = { ...this.#table, thumbprint, platformCertificate };
    await this.#requestAll({ kind: 'change', change });
  }

  leaseChanged(contactAtMs: number | undefined): void {
    this.#contactAtMs = contactAtMs;
    void this.#requestAll({ kind: 'lease', contactAtMs: contactAtMs ?? null });
  }

  async listen(): Promise<void> {
    this.#mayListen = true;
    const listening = new Promise<void>((resolve) => (this.#onListening = resolve));
    for (const child of this.#running()) void this.#listen(child);
    await Promise.race([listening, onAbort(this.#stopping.signal)]);
  }

  async drain(keepAliveMs: number): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#children].map((child) => this.#end(child, keepAliveMs)));
    clearInterval(this.#ticker);
  }

  async metrics(): Promise<readonly MetricValues[]> {
    const children = this.#running();
    // A process that does not answer at once is reported with what it counted before.
    await Promise.race([Promise.all(children.map((child) => child.request({ kind: 'metrics' }))), pause(TICK_MS)]);
    return [...children.map(({ latestMetrics }) => latestMetrics), this.#retained];
  }

  async #keepRunning(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted;) {
      const child = this.#start();
      const exit = await child.exited;
      this.#children.delete(child);
      this.#retained = sumCounters([this.#retained, child.latestMetrics]);
      if (signal.aborted) return;
      this.#restarts += 1;
      failures = performance.now() - child.startedAtMs > STABLE_MS ? 0 : failures + 1;
      this.#options.log.error(describe(child, exit), 'serving process ended; starting another');
      if (failures > 1) await pause(exponentialDelayMs(RESTART_DELAY, failures - 1), signal);
    }
  }

  #start(): ServingChild {
    const { program, sockets, feed } = this.#options;
    const child: ServingChild = new ServingChild(
      { ...program, sockets: [sockets.http.fd(), sockets.https.fd()] },
      {
        onStarted: () => this.#publishTo(child),
        onDamaged: (reason) => feed.tableDamaged(reason),
        onHandshake: (host) => feed.preparedHandshake(host),
        onOrigin: (id, isFailing) => feed.originConnectivity(id, isFailing),
      },
    );
    this.#children.add(child);
    return child;
  }

  /** Sends what is published now. The channel keeps the order, so later messages cannot overtake it. */
  #publishTo(child: ServingChild): void {
    if (this.#table !== undefined) void child.request({ kind: 'table', table: this.#table });
    void child.request({ kind: 'lease', contactAtMs: this.#contactAtMs ?? null });
    if (this.#mayListen) void this.#listen(child);
  }

  async #listen(child: ServingChild): Promise<void> {
    const answer = await child.request({ kind: 'listen' });
    if (answer === undefined) return;
    this.#options.log.info({ childPid: child.pid, ...this.counts }, 'serving process listens');
    if (this.isListening) this.#onListening();
  }

  /** Resolves when every process that serves has obeyed or ended. */
  async #requestAll(message: FeedMessage): Promise<void> {
    await Promise.all(this.#running().map((child) => child.request(message)));
  }

  #running(): readonly ServingChild[] {
    return [...this.#children].filter(({ isRunning }) => isRunning);
  }

  #tick(): void {
    this.#ticks += 1;
    for (const child of this.#children) {
      const silentTicks = child.tick();
      if (silentTicks === (child.isRunning ? SILENCE_LIMIT_TICKS : START_LIMIT_TICKS)) {
        this.#options.log.error(
          { childPid: child.pid, silentMs: silentTicks * TICK_MS },
          'serving process does not answer',
        );
        child.kill();
      } else if (silentTicks === 0 && this.#ticks % PING_TICKS === 0) void child.request({ kind: 'ping' });
    }
  }

  async #end(child: ServingChild, keepAliveMs: number): Promise<void> {
    const limit = new AbortController();
    if (child.isRunning) void child.request({ kind: 'drain', keepAliveMs });
    else child.kill();
    const timedOut = pause(keepAliveMs + DRAIN_LIMIT_MS + EXIT_LIMIT_MS, limit.signal).then(() => 'late' as const);
    const outcome = await Promise.race([child.exited, timedOut]);
    limit.abort();
    if (outcome !== 'late') return;
    this.#options.log.error({ childPid: child.pid }, 'serving process did not stop in time');
    child.kill();
    await child.exited;
  }
}

function describe({ pid }: ServingChild, { code, signal }: Exit) {
  return { childPid: pid, code, signal };
}

function onAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
