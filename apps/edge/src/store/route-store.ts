import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { wildcardOf, type EdgeRoute } from '@pets/contracts/edge-feed';
import type { Logger } from '@pets/platform';
import { loadTable, type NewTable } from './load-table.js';
import { findGap, type BatchOutcome, type FeedBatch } from './route-changes.js';
import { StoreDamagedError } from './store-damaged-error.js';
import {
  deleteLeftovers,
  deleteTable,
  newestGeneration,
  readPointer,
  tablePath,
  writePointer,
  type TablePointer,
} from './table-files.js';
import type { StorePosition } from './table-schema.js';
import { TableWriter } from './table-writer.js';

const emptyPosition: StorePosition = { epoch: '', version: 0, thumbprint: null };
const never = new AbortController().signal;

export interface OpenedStore {
  readonly store: RouteStore;
  /** `damaged`: what was there has been discarded, and the store is empty. */
  readonly found: 'none' | 'loaded' | 'damaged';
}

/**
 * The routes of this edge on its disk, with their position in the feed and the time of the last contact. A folder has one
 * `RouteStore`, in the feed process; any number of processes read its table with a `RouteReader`.
 *
 * - A batch is one durable transaction: after a crash of the machine all of it is there, or nothing.
 * - The contact is in the same database, so it never outlives a version that it vouches for.
 * - A snapshot is written into a new file, and a pointer file then names it.
 * - Damage discards the table. The feed brings everything back; a wrong route would be served.
 */
export class RouteStore {
  #writer: TableWriter;
  #pointer: TablePointer;
  #replaced: string[] = [];
  /** The contact that `voidContact` has taken away. */
  #voided: { contactAtMs: number | null } | undefined;

  private constructor(
    private readonly folder: string,
    pointer: TablePointer,
    private readonly log: Logger,
  ) {
    this.#pointer = pointer;
    this.#writer = new TableWriter(tablePath(folder, pointer.generation), pointer.tableId, log);
  }

  /** Makes the folder if need be, and deletes leftovers. */
  static async open(folder: string, log: Logger): Promise<OpenedStore> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const opened = await openFound(folder, (pointer) => new RouteStore(folder, pointer, log), log);
    await deleteLeftovers(folder, opened.store.#pointer.generation);
    const { hosts, position, contactAtMs } = opened.store;
    log.info({ found: opened.found, version: position.version, hosts, contactAtMs }, 'route store opened');
    return opened;
  }

  /** The current table, for `RouteReader`. */
  get file(): string {
    return this.#writer.path;
  }

  get position(): StorePosition {
    return this.#writer.meta.position;
  }

  /** Everything published up to then is in the table, or was acknowledged. Undefined: it may not be served. */
  get contactAtMs(): number | undefined {
    return this.#writer.meta.contactAtMs ?? undefined;
  }

  /** The route that answers for a host, whether or not it may be served. @throws StoreDamagedError */
  find(host: string): EdgeRoute | undefined {
    const wildcard = wildcardOf(host);
    return this.#writer.find(host) ?? (wildcard === undefined ? undefined : this.#writer.find(wildcard));
  }

  get hosts(): number {
    return this.#writer.meta.hosts;
  }

  /**
   * One durable transaction.
   * @throws StoreDamagedError: call `discard`. After any other error, such as a full disk, nothing has changed, and the batch
   * may be applied again.
   */
  apply(batch: FeedBatch): BatchOutcome {
    const reason = findGap(this.position, batch);
    if (reason !== undefined) return { kind: 'gap', reason };
    return { kind: 'applied', change: this.#writer.apply(batch) };
  }

  /** Durable. While the contact is void, it is only remembered for `restoreContact`. */
  saveContact(contactAtMs: number): void {
    if (this.#voided === undefined) this.#writer.saveContact(contactAtMs);
    else this.#voided = { contactAtMs };
  }

  /** From now on a crash leaves an edge that serves nothing before it has synchronized. Durable. */
  voidContact(): void {
    this.#voided ??= { contactAtMs: this.#writer.meta.contactAtMs };
    this.#writer.saveContact(null);
  }

  /** Takes `voidContact` back. Only when the API still waits for this edge. */
  restoreContact(): void {
    const voided = this.#voided;
    if (voided === undefined) return;
    this.#writer.saveContact(voided.contactAtMs);
    this.#voided = undefined;
  }

  /**
   * Writes another table and switches to it; its contact is void. Nothing may be applied meanwhile. After an error the old
   * table is still the current one. Its file stays until `deleteReplaced`, for those who are about to open it.
   * @param write writes the file (`loadTable`)
   */
  async replaceTable(write: (table: NewTable) => Promise<void>): Promise<void> {
    const pointer = { generation: this.#pointer.generation + 1, tableId: randomUUID() };
    const path = tablePath(this.folder, pointer.generation);
    let writer: TableWriter | undefined;
    try {
      await write({ path, tableId: pointer.tableId });
      writer = new TableWriter(path, pointer.tableId, this.log);
      await writePointer(this.folder, pointer);
    } catch (error) {
      writer?.close();
      await deleteTable(path);
      throw error;
    }
    this.#replaced.push(this.file);
    this.#writer.close();
    [this.#writer, this.#pointer, this.#voided] = [writer, pointer, undefined];
    this.log.info({ version: this.position.version, hosts: this.hosts }, 'route table replaced');
  }

  /** Call it when every process has opened the current table. */
  async deleteReplaced(): Promise<void> {
    const paths = this.#replaced;
    this.#replaced = [];
    await Promise.all(paths.map((path) => deleteTable(path)));
  }

  /** Switches to an empty table, because the current one is damaged. */
  async discard(reason: string): Promise<void> {
    this.log.error({ reason }, 'route store damaged; starting without it');
    await this.replaceTable((table) => loadTable(table, emptyPosition, [], never));
  }

  close(): void {
    this.#writer.close();
  }
}

async function openFound(
  folder: string,
  openStore: (pointer: TablePointer) => RouteStore,
  log: Logger,
): Promise<OpenedStore> {
  const create = async () => {
    const pointer = { generation: (await newestGeneration(folder)) + 1, tableId: randomUUID() };
    const table = { path: tablePath(folder, pointer.generation), tableId: pointer.tableId };
    await loadTable(table, emptyPosition, [], never);
    await writePointer(folder, pointer);
    return openStore(pointer);
  };

  const discard = async (reason: string): Promise<OpenedStore> => {
    log.error({ reason }, 'route store damaged; starting without it');
    return { found: 'damaged', store: await create() };
  };

  const pointer = await readPointer(folder);
  if (pointer === 'damaged') return discard('checksum mismatch of the pointer');
  if (pointer === undefined) return { found: 'none', store: await create() };
  try {
    return { found: 'loaded', store: openStore(pointer) };
  } catch (error) {
    if (!(error instanceof StoreDamagedError)) throw error;
    return discard(error.message);
  }
}
