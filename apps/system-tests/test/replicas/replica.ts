import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/testing';
import {
  describeExit,
  repositoryRoot,
  sharedReaper,
  startChild,
  untilReady,
  whileAlive,
  type RunningChild,
} from '@pets/testing/processes';

/** More than a process takes to stop, so that the exit code is its own. */
const STOP_LIMIT_MS = 28_000;
const READY_LIMIT_MS = 60_000;
const PROBE_LIMIT_MS = 2_000;
const KEPT_LINES = 40;

/** The checkout whose build runs at first: another one while `npm run upgrade-check` replaces it by this one. */
export const firstBuild = process.env['PETS_FIRST_BUILD'] ?? repositoryRoot;

export interface ReplicaOptions {
  readonly app: 'pets-api' | 'domains-worker' | 'edge';
  readonly env: Readonly<Record<string, string>>;
  readonly readyUrl: string;
}

export interface Stopped {
  readonly code: number | null;
  readonly tookMs: number;
}

/** One process of an app, as it is built, which can be stopped and started again. */
export class Replica {
  private env: ReplicaOptions['env'];
  private build = firstBuild;
  private child: RunningChild;
  private readonly lines: string[] = [];

  constructor(private readonly options: ReplicaOptions) {
    this.env = options.env;
    this.child = this.run();
  }

  get readyUrl(): string {
    return this.options.readyUrl;
  }

  async untilReady(): Promise<void> {
    const { app, readyUrl } = this.options;
    const died = this.child.exited.then((exit) => {
      throw new Error([`${app} ${describeExit(exit)}`, ...this.lines].join('\n'));
    });
    died.catch(() => undefined); // the race reports it, unless it is over
    await whileAlive(died, (signal) => untilReady({ name: app, readyUrl }, { signal }));
  }

  /** Stops the replica by SIGTERM. */
  async stop(): Promise<Stopped> {
    const beganMs = performance.now();
    await this.child.stop();
    const { code } = await this.child.exited;
    return { code, tookMs: performance.now() - beganMs };
  }

  /**
   * @param changes of its environment, from now on
   * @param build the checkout that it runs from now on
   */
  async startAgain(changes: ReplicaOptions['env'] = {}, build: string = this.build): Promise<void> {
    this.env = { ...this.env, ...changes };
    this.build = build;
    this.child = this.run();
    await this.untilReady();
  }

  /** Starts it again, and stops it by SIGTERM so long after its first line. @returns its exit and its lines */
  async interruptStart(delayMs: number): Promise<Stopped & { readonly lines: readonly string[] }> {
    this.lines.length = 0;
    this.child = this.run();
    await waitUntil(async () => this.lines.length > 0, { timeoutMs: READY_LIMIT_MS, message: 'a first line' });
    await sleep(delayMs);
    return { ...(await this.stop()), lines: [...this.lines] };
  }

  private run(): RunningChild {
    const { env } = this;
    const { app } = this.options;
    const args = [join(this.build, 'apps', app, 'dist/main.js')];
    const limits = { stopSignals: ['SIGTERM'], stopTimeoutMs: STOP_LIMIT_MS, stopRank: 0 } as const;
    const onLine = (_name: string, line: string) => {
      this.lines.push(line);
      this.lines.splice(0, this.lines.length - KEPT_LINES);
    };
    return startChild(
      { name: app, command: process.execPath, args, env, ...limits },
      { reaper: sharedReaper(), onLine },
    );
  }
}

export async function readiness(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(url, { signal: AbortSignal.timeout(PROBE_LIMIT_MS) });
  return { status: response.status, text: await response.text() };
}
