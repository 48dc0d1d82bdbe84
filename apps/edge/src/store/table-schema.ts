import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { EdgeRoute } from '@pets/contracts/edge-feed';
import { z } from 'zod';
import { StoreDamagedError } from './store-damaged-error.js';

/**
 * The content of a table file, a SQLite database: the routes, and one row about all of them (`meta`). A row's checksum
 * covers host, version and route. The sum of all checksums finds a page that the disk did not write, or wrote elsewhere.
 */

/** Raised when the tables change; a file with another number is discarded. */
const FORMAT = 1;

/** Smaller pages write less at a change: 14 KB instead of 17 KB with 4 KiB, checkpoints included. 1 KiB makes look-ups slower. */
const PAGE_BYTES = 2_048;

/** Sums stay exact integers: a sum of two is below 2^53. */
const CHECKSUM_RANGE = 2 ** 48;

export const createTablesSql = `
  PRAGMA page_size = ${PAGE_BYTES};
  PRAGMA user_version = ${FORMAT};
  CREATE TABLE routes (
    host TEXT PRIMARY KEY, version INTEGER NOT NULL, route TEXT NOT NULL, checksum INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE meta (
    id INTEGER PRIMARY KEY CHECK (id = 1), content TEXT NOT NULL, checksum INTEGER NOT NULL
  ) STRICT;`;

/** Position of a table in the feed. Epoch '' and version 0: it has no content yet. */
export interface StorePosition {
  readonly epoch: string;
  readonly version: number;
  readonly thumbprint: string | null;
  /** Id of the issued platform certificate; null for none, undefined until a batch has said it: snapshots do not. */
  readonly platformCertificate?: string | null | undefined;
}

export interface RouteRow {
  readonly host: string;
  readonly version: number;
  /** A JSON text of `edgeRouteSchema`; the caller has checked it. */
  readonly route: string;
}

const metaSchema = z.object({
  /** Id that the pointer file has too, so that the file of another table is not taken for this one. */
  tableId: z.string(),
  /** Transactions since the file was made. */
  commits: z.int().nonnegative(),
  position: z.object({
    epoch: z.string(),
    version: z.int().nonnegative(),
    thumbprint: z.string().nullable(),
    platformCertificate: z.string().nullable().optional(),
  }),
  /** Null while it is void. */
  contactAtMs: z.number().nullable(),
  hosts: z.int().nonnegative(),
  routesChecksum: z.int().nonnegative(),
});
export type TableMeta = Readonly<z.infer<typeof metaSchema>>;

/** @throws StoreDamagedError when it is missing, or not what was written */
export function readMeta(db: DatabaseSync): TableMeta {
  const format = db.prepare('PRAGMA user_version').get()?.['user_version'];
  if (format !== FORMAT) throw new StoreDamagedError(`format ${String(format)} is not ${FORMAT}`);
  const row = db.prepare('SELECT content, checksum FROM meta WHERE id = 1').get();
  const content = row?.['content'];
  if (typeof content !== 'string' || crc32(content) !== row?.['checksum']) {
    throw new StoreDamagedError('checksum mismatch of the position');
  }
  const meta = metaSchema.safeParse(JSON.parse(content));
  if (!meta.success) throw new StoreDamagedError('unreadable position');
  return meta.data;
}

/** The columns `content` and `checksum`. */
export function metaColumns(meta: TableMeta): [string, number] {
  const content = JSON.stringify(meta);
  return [content, crc32(content)];
}

export function rowChecksum({ host, version, route }: RouteRow): number {
  return crc32(route, crc32(`${host}\n${version}\n`));
}

export function addChecksum(sum: number, checksum: number): number {
  return (sum + checksum) % CHECKSUM_RANGE;
}

export function subtractChecksum(sum: number, checksum: number): number {
  return (sum + CHECKSUM_RANGE - checksum) % CHECKSUM_RANGE;
}

/** A row as it was read, whose columns may be anything. */
type ReadRow = Readonly<Record<string, unknown>>;

/**
 * @param row the columns `version`, `route` and `checksum`
 * @throws StoreDamagedError when they are not what was written for this host
 */
export function checkRow(host: string, row: ReadRow): RouteRow & { readonly checksum: number } {
  const { version, route, checksum } = row;
  if (typeof version !== 'number' || typeof route !== 'string' || typeof checksum !== 'number') {
    throw new StoreDamagedError(`unreadable row of ${host}`);
  }
  if (rowChecksum({ host, version, route }) !== checksum) throw new StoreDamagedError(`checksum mismatch of ${host}`);
  return { host, version, route, checksum };
}

/** The cast holds: the checksum has shown that this is the text that was stored, and that was checked before. */
export function parseRoute(route: string): EdgeRoute {
  return JSON.parse(route) as EdgeRoute;
}
