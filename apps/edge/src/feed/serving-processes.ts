import type { TableChange } from '../store/route-changes.js';

/**
 * The interface between the feed process, which follows the feed and writes the table, and the serving processes, which
 * answer visitors from it. The feed process calls; the serving processes obey in the order of the calls.
 */

/** Facts in the feed besides the routes. */
interface FeedFacts {
  /** The ACME account's thumbprint (RFC 7638) for HTTP-01 answers; null before an account is ready. */
  readonly thumbprint: string | null;
  /** Id of the issued platform certificate; null for none, undefined where it is not known: what there is stays. */
  readonly platformCertificate?: string | null | undefined;
}

export type PublishedChange = TableChange & FeedFacts;

/** The table to serve. */
export interface PublishedTable extends FeedFacts {
  /** The file for `RouteReader`. */
  readonly file: string;
}

/**
 * The serving processes of this edge. A process that starts later gets the last published table, and contact
 * before it serves, and counts from then on.
 *
 * The promises resolve when every live process has obeyed, which is what an acknowledgement reports. A process that exits
 * counts as done, since it serves nothing. A process that does not answer for 10 s is killed. They never reject.
 */
export interface ServingProcesses {
  /**
   * Each process opens the table, clears its cache, and destroys the connections of hosts that the new table does not serve.
   * Called at the start with the table of the last run, and after each replacement; the file of before may then be deleted.
   */
  tableReplaced(table: PublishedTable): Promise<void>;
  /**
   * A batch is committed in the current table. Each process drops the cached rows of `hosts`, and destroys the connections of
   * `stoppedHosts` and those whose host another row answers for now, in one tick of its event loop.
   */
  changed(change: PublishedChange): Promise<void>;
  /**
   * Each process checks the lease at every look-up with its own clock (`mayServe` in `lease.ts`), and destroys all
   * connections when it has expired. Undefined ends it at once.
   */
  leaseChanged(contactAtMs: number | undefined): void;
}

/** The feed process, as the serving processes see it. */
export interface FeedProcess {
  /** A row of the table cannot be read or has another checksum. The feed process stops serving it and loads a new one. */
  tableDamaged(reason: string): void;
  /** A visitor asked for a prepared host, at most every ten seconds for each: its DNS may have been switched. */
  preparedHandshake(host: string): void;
  /** No connection to an application can be opened, or one was opened again: at most every ten seconds for each. */
  originConnectivity(id: string, isFailing: boolean): void;
}
