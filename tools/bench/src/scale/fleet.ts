import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { waitUntil } from '@pets/dev-stack';

/** The instructions for `fleet-main.js`. */
export interface FleetOrder {
  readonly apiUrl: string;
  readonly token: string;
  readonly storageUrl: string;
  readonly edges: number;
  /** Where all edges begin; without a table by default. */
  readonly position?: { readonly epoch: string; readonly version: number };
}

/** Times are in milliseconds since 1970, with fractions. */
export type FleetReport =
  | { readonly kind: 'in-sync'; readonly atMs: number }
  | { readonly kind: 'stored'; readonly version: number; readonly atMs: number }
  | { readonly kind: 'aborted'; readonly reason: string };

export interface Fleet {
  /** Why sessions ended that should have continued. */
  readonly aborted: readonly string[];
  /** @returns when the last edge had everything */
  inSync(): Promise<number>;
  /** @returns when the API said to the last edge that its acknowledgement of a version is stored */
  stored(version: number): Promise<number>;
  stop(): Promise<void>;
}

const LIMIT_MS = 300_000;

/** Starts a process with edges that all join at once. */
export function startFleet(order: FleetOrder): Fleet {
  const child = fork(fileURLToPath(new URL('fleet-main.js', import.meta.url)), [JSON.stringify(order)]);
  const aborted: string[] = [];
  const storedAt = new Map<number, number>();
  let inSyncAt: number | undefined;
  child.on('message', (report: FleetReport) => {
    if (report.kind === 'in-sync') inSyncAt = report.atMs;
    else if (report.kind === 'stored') storedAt.set(report.version, report.atMs);
    else aborted.push(report.reason);
  });
  const wait = async (read: () => number | undefined, message: string): Promise<number> => {
    await waitUntil(() => read() !== undefined || child.exitCode !== null, {
      timeoutMs: LIMIT_MS,
      intervalMs: 5,
      message,
    });
    const value = read();
    if (value === undefined) throw new Error('the fleet has ended');
    return value;
  };
  return {
    aborted,
    inSync: () => wait(() => inSyncAt, `${order.edges} edges to be in sync`),
    stored: (version) => wait(() => storedAt.get(version), `version ${version} to be acknowledged by all`),
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
