import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { EDGE_FEED_PROTOCOL, type EdgeRoute } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import { loadTable, type RouteRows } from '../src/store/load-table.js';
import type { FeedBatch } from '../src/store/route-changes.js';
import { RouteReader } from '../src/store/route-cache.js';
import { RouteStore, type OpenedStore } from '../src/store/route-store.js';
import type { RouteRow, StorePosition } from '../src/store/table-schema.js';

export const position: StorePosition = { epoch: 'e1', version: 5, thumbprint: 'T', platformCertificate: null };

export const siteOf = (certificateId: string | null, contentHash = 'a0'): EdgeRoute => ({
  answersChallenges: true,
  serve: { kind: 'site', contentHash },
  certificateId,
});

export function batchAfter(
  { epoch, version, thumbprint }: StorePosition,
  routes: Readonly<Record<string, EdgeRoute | null>>,
): FeedBatch {
  const entries = Object.entries(routes).map(([host, route]) => ({ host, version: version + 1, route }));
  const facts = { protocol: EDGE_FEED_PROTOCOL, thumbprint, platformCertificate: null } as const;
  return { kind: 'batch', epoch, ...facts, after: version, version: version + 1, entries };
}

export function rowsOf(routes: Readonly<Record<string, EdgeRoute>>): RouteRow[] {
  return Object.entries(routes).map(([host, route]) => ({ host, version: 5, route: JSON.stringify(route) }));
}

/** The names of a table of any size, in order. */
export const hostAt = (index: number): string => `shop-${String(index).padStart(8, '0')}.test`;

/** Rows as long as real ones, in parts like the chunks of a snapshot. */
export function* manyRows(count: number): Generator<RouteRow[]> {
  const rowsPerPart = 5_000;
  for (let start = 0; start < count; start += rowsPerPart) {
    yield Array.from({ length: Math.min(rowsPerPart, count - start) }, (_, offset) => {
      const contentHash = crc32(String(start + offset))
        .toString(16)
        .padStart(8, '0')
        .repeat(8);
      const certificateId = `0197c1de-7a2b-7c3d-8e4f-${String(start + offset).padStart(12, '0')}`;
      return { host: hostAt(start + offset), version: 5, route: JSON.stringify(siteOf(certificateId, contentHash)) };
    });
  }
}

/** Switches to a table of these rows. */
export function replaceTable(
  store: RouteStore,
  position: StorePosition,
  rows: RouteRows,
  signal?: AbortSignal,
): Promise<void> {
  return store.replaceTable((table) => loadTable(table, position, rows, signal ?? new AbortController().signal));
}

/** A folder with a store in it, opened and closed as often as a test wants. */
export class StoreFixture {
  /** Log lines of the last start and what followed. */
  readonly logLines: string[] = [];
  #opened: OpenedStore | undefined;

  private constructor(readonly folder: string) {}

  static async build(): Promise<StoreFixture> {
    return new StoreFixture(await mkdtemp(join(tmpdir(), 'route-store-')));
  }

  get store(): RouteStore {
    if (this.#opened === undefined) throw new Error('the store is not open');
    return this.#opened.store;
  }

  async open(): Promise<OpenedStore> {
    this.logLines.length = 0;
    const destination = new Writable({
      write: (chunk, _encoding, done) => {
        this.logLines.push(String(chunk));
        done();
      },
    });
    this.#opened = await RouteStore.open(this.folder, createLogger('edge', 'info', destination));
    return this.#opened;
  }

  /** Opens the store and loads a table. */
  async load(routes: Readonly<Record<string, EdgeRoute>>): Promise<RouteStore> {
    const { store } = await this.open();
    await replaceTable(store, position, [rowsOf(routes)]);
    await store.deleteReplaced();
    return store;
  }

  apply(routes: Readonly<Record<string, EdgeRoute | null>>) {
    return this.store.apply(batchAfter(this.store.position, routes));
  }

  close(): void {
    this.#opened?.store.close();
    this.#opened = undefined;
  }

  async reopen(): Promise<OpenedStore> {
    this.close();
    return await this.open();
  }

  /** Reads with a connection of its own. */
  find(host: string): EdgeRoute | undefined {
    const reader = new RouteReader(this.store.file);
    try {
      return reader.find(host);
    } finally {
      reader.close();
    }
  }

  async tearDown(): Promise<void> {
    this.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
