import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  describeExit,
  untilReady,
  type ChildSpec,
  type LineSink,
  type ReadySpec,
  type RunningChild,
} from '@pets/testing/processes';
import { fromSources, hasNodeOptions, loadedSources, standbyFor } from './from-sources.js';

/**
 * A process that has not stopped in this time is killed. pets-api and the edge mostly wait for clients on kept connections
 * then. The worker finishes its jobs first: a job that is cut off waits for its lease to expire.
 */
const STOP_LIMIT_MS = 500;
const WORKER_STOP_LIMIT_MS = 2_000;
const READY_LIMIT_MS = 60_000;

export type DevServiceOptions = {
  readonly spec: ReadySpec;
  /** For the lists of what its processes have loaded. */
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Whether the next process waits with its packages loaded. */
  readonly hasStandby: boolean;
  readonly launch: (spec: ChildSpec, onLine: LineSink) => RunningChild;
  readonly onLine: LineSink;
};

type Run = { readonly child: RunningChild; readonly list: string; readonly startedAtMs: number };
type Standby = { readonly child: RunningChild; readonly list: string; isWaiting: boolean };

/** A service that runs from its sources, one process after the other. */
export class DevService {
  readonly name: string;
  readonly #options: DevServiceOptions;
  #runs = 0;
  #run: Run | null = null;
  /** Sources that the process before has loaded: until the new one is ready, its own list is incomplete. */
  #loadedBefore: readonly string[] = [];
  #standby: Standby | null = null;
  /** Process ids. */
  readonly #stopping = new Set<number>();

  constructor(options: DevServiceOptions) {
    this.name = options.spec.name;
    const stopTimeoutMs = this.name === 'domains-worker' ? WORKER_STOP_LIMIT_MS : STOP_LIMIT_MS;
    this.#options = { ...options, spec: { ...options.spec, stopTimeoutMs } };
  }

  get isUp(): boolean {
    return this.#run !== null;
  }

  /** When its process was started, in milliseconds since 1970. */
  get startedAtMs(): number {
    return this.#run?.startedAtMs ?? 0;
  }

  /** The sources that a change of concerns it. */
  sources(): readonly string[] {
    return [...new Set([...this.#loadedBefore, ...(this.#run === null ? [] : loadedSources(this.#run.list))])];
  }

  start(): void {
    const list = this.#newList();
    this.#adopt(this.#launch(fromSources(this.#options.spec, list)), list, Date.now());
  }

  /**
   * Replaces the process.
   * @param sinceMs when the change was noticed
   */
  async restart(reason: string, sinceMs: number): Promise<void> {
    const previous = this.#run;
    const startedAtMs = Date.now();
    const standby = this.#takeStandby();
    standby?.child.send('prepare');
    this.#loadedBefore = this.sources();
    this.#run = null;
    if (previous !== null) this.#stopping.add(previous.child.pid);
    await previous?.child.stop();
    if (previous !== null) rmSync(previous.list, { force: true });
    if (this.#options.signal.aborted) return;
    if (standby === null) this.start();
    else {
      standby.child.send('start');
      this.#adopt(standby.child, standby.list, startedAtMs);
    }
    void this.#reportReady(reason, sinceMs);
  }

  /** Starts the process that the next restart continues with. */
  keepStandby(): void {
    const { hasStandby, spec, signal } = this.#options;
    if (!hasStandby || this.#run === null || this.#standby !== null || signal.aborted || hasNodeOptions(spec)) return;
    const list = this.#newList();
    const child = this.#launch(standbyFor(spec, { known: this.#run.list, own: list }));
    const standby: Standby = { child, list, isWaiting: false };
    this.#standby = standby;
    void child.nextMessage().then((message) => (standby.isWaiting = message === 'waiting'));
    void child.exited.then(() => {
      if (this.#standby === standby) this.#standby = null;
    });
  }

  #takeStandby(): Standby | null {
    const standby = this.#standby;
    this.#standby = null;
    if (standby === null || standby.isWaiting) return standby;
    void standby.child.stop(); // it still loads: a new process is as fast
    return null;
  }

  #adopt(child: RunningChild, list: string, startedAtMs: number): void {
    const run = { child, list, startedAtMs };
    this.#run = run;
    void child.exited.then((exit) => {
      if (this.#run !== run || this.#options.signal.aborted) return;
      this.#loadedBefore = this.sources();
      this.#run = null;
      this.#options.onLine(this.name, `${describeExit(exit)}; it starts again at the next change`);
    });
  }

  async #reportReady(reason: string, sinceMs: number): Promise<void> {
    const { signal, spec, onLine } = this.#options;
    const run = this.#run;
    const ended = new AbortController();
    void run?.child.exited.then(() => ended.abort());
    try {
      await untilReady(spec, { signal: AbortSignal.any([signal, ended.signal]), timeoutMs: READY_LIMIT_MS });
    } catch (error) {
      if (this.#run === run && !signal.aborted && !ended.signal.aborted) onLine(this.name, String(error));
      return;
    }
    if (this.#run !== run) return;
    this.#loadedBefore = [];
    onLine(this.name, `restarted in ${((performance.now() - sinceMs) / 1_000).toFixed(1)} s: ${reason}`);
    this.keepStandby();
  }

  /** Lines of a process that stops are left out: it only reports that it stops. */
  #launch(spec: ChildSpec): RunningChild {
    const { launch, onLine } = this.#options;
    const child: RunningChild = launch(spec, (name, line) => {
      if (!this.#stopping.has(child.pid)) onLine(name, line);
    });
    void child.exited.then(() => this.#stopping.delete(child.pid));
    return child;
  }

  #newList(): string {
    return join(this.#options.folder, `${this.name}.${++this.#runs}`);
  }
}
