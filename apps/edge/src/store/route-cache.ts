import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { chooseRow, isWildcard, waitsForCertificate, wildcardOf, type EdgeRoute } from '@pets/contracts/edge-feed';
import { LRUCache } from 'lru-cache';
import { FairCache } from '../fairness/fair-cache.js';
import { reportingDamage } from './store-damaged-error.js';
import { checkRow, parseRoute, readMeta } from './table-schema.js';

/** How long a look-up waits for a process that repairs the index of the write-ahead log after a crash. */
const BUSY_TIMEOUT_MS = 500;

/**
 * Small: the kernel caches the file for all processes, and reads a page in about a microsecond. With 8 MiB, look-ups among a
 * million rows take as long, and those among ten thousand are 5 % faster.
 */
const CACHE_KIB = 1_024;

/**
 * Reads rows of a table file, in any process. Each look-up sees what was committed before it, and takes about 10 µs at a million
 * rows, whether or not there is such a row.
 */
export class RouteReader {
  readonly #db: DatabaseSync;
  readonly #select: StatementSync;

  /** @throws StoreDamagedError when it is not a table file */
  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      this.#select = reportingDamage(() => {
        this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}; PRAGMA cell_size_check = ON`);
        readMeta(this.#db);
        return this.#db.prepare('SELECT version, route, checksum FROM routes WHERE host = ?');
      });
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** @throws StoreDamagedError when the row is not what was written */
  find(host: string): EdgeRoute | undefined {
    return reportingDamage(() => {
      const row = this.#select.get(host);
      if (row === undefined) return undefined;
      const route = parseRoute(checkRow(host, row).route);
      // A challenge at a name below a wildcard is none of the wildcard's, which HTTP-01 cannot prove.
      return isWildcard(host) ? { ...route, answersChallenges: false } : route;
    });
  }

  close(): void {
    this.#db.close();
  }
}

/** About 15 MB. */
const DEFAULT_MAX_ROWS = 20_000;

/** For about 10 000 hosts. */
const UNLISTED_BYTES = 4 * 1024 * 1024;

const UNLISTED = {};

/** The route that answers for a host. */
export interface StoredRoute {
  /** The key of the row that answers: the host, or the wildcard that covers it. */
  readonly row: string;
  readonly route: EdgeRoute;
  /** Whether the wildcard answers only until the host's own row has a certificate. */
  readonly isInterim: boolean;
}

/**
 * The rows that were asked for last, in front of a `RouteReader`. A row is kept once, however many hosts a wildcard answers
 * for. A host that no row answers for is not kept: it costs two look-ups, and no number of unknown hosts evicts a known one.
 */
export class RouteCache {
  readonly #rows: LRUCache<string, StoredRoute>;
  /**
   * Hosts without a row of their own, by the wildcard that answers for them: visitors choose their labels, so they take
   * room from hosts of the same wildcard.
   */
  readonly #unlisted = new FairCache({ maxBytes: UNLISTED_BYTES, bytesOf: () => 0 });
  readonly #reader: Pick<RouteReader, 'find' | 'close'>;

  constructor(reader: Pick<RouteReader, 'find' | 'close'>, maxRows = DEFAULT_MAX_ROWS) {
    this.#reader = reader;
    this.#rows = new LRUCache({ max: maxRows });
  }

  /** @throws StoreDamagedError */
  find(host: string): StoredRoute | undefined {
    const cached = this.#rows.get(host);
    if (cached !== undefined && isFinal(cached.route)) return cached;
    const wildcard = wildcardOf(host);
    const isUnlisted = wildcard !== undefined && this.#unlisted.get(wildcard, host) !== undefined;
    const exact = cached ?? (isUnlisted ? undefined : this.#read(host));
    if (exact !== undefined && isFinal(exact.route)) return exact;
    const covering = wildcard === undefined ? undefined : (this.#rows.get(wildcard) ?? this.#read(wildcard));
    switch (chooseRow(exact?.route, covering?.route)) {
      case 'exact':
        return exact;
      case 'wildcard':
        if (wildcard !== undefined && !isUnlisted) this.#unlisted.set(wildcard, host, UNLISTED);
        return covering;
      case 'interim':
        return exact && covering && interimRoute(exact, covering);
      case undefined:
        return undefined;
    }
  }

  /** Drops rows that have changed. */
  dropRows(rows: readonly string[]): void {
    for (const row of rows) {
      this.#rows.delete(row);
      const wildcard = wildcardOf(row);
      if (wildcard !== undefined) this.#unlisted.delete(wildcard, row);
    }
  }

  close(): void {
    this.#rows.clear();
    this.#reader.close();
  }

  #read(row: string): StoredRoute | undefined {
    const route = this.#reader.find(row);
    if (route === undefined) return undefined;
    const stored: StoredRoute = { row, route, isInterim: false };
    this.#rows.set(row, stored);
    return stored;
  }
}

/** Whether a host's own row answers for it, whatever the wildcard says. */
function isFinal(exact: EdgeRoute): boolean {
  return exact.serve?.kind !== 'excluded' && !waitsForCertificate(exact);
}

/** The wildcard's service with the challenges of the host's own row. */
function interimRoute({ route: exact }: StoredRoute, { row, route }: StoredRoute): StoredRoute {
  const { answersChallenges } = exact;
  return { row, route: { ...route, answersChallenges }, isInterim: true };
}
