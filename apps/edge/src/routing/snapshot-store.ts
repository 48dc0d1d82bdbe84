import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { edgeAckSchema, edgeRouteSchema } from '@pets/contracts';
import { z } from 'zod';
import { errorCode } from '../error-code.js';
import { checkedContent, replaceCheckedFile, replaceFile, syncFolder, type Outlasts } from './durable-file.js';
import type { TableState } from './route-table.js';

/**
 * What an edge keeps on disk to start without the API: its identity, the table, and the time of its last contact. The
 * contact has a file of its own, because it changes every few seconds and the table may be large; the newer of the two
 * counts, since a contact vouches for every version acknowledged before it, and the snapshot is written before that.
 */

const snapshotSchema = z.object({
  epoch: z.string(),
  version: z.int().nonnegative(),
  thumbprint: z.string().nullable(),
  contactAtMs: z.number(),
  protocol: z.int().default(1),
  routes: z.array(z.tuple([z.string(), edgeRouteSchema])),
  /** Apart from the others, so that an edge of the version before can read them, and takes these hosts for removed. */
  suspended: z.array(z.tuple([z.string(), edgeRouteSchema])).default([]),
});

const contactSchema = z.object({ epoch: z.string(), contactAtMs: z.number() });

export type StoredSnapshot =
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'loaded'; readonly state: TableState; readonly contactAtMs: number };

export class SnapshotStore {
  readonly #snapshot: string;
  readonly #setAside: string;
  readonly #contact: string;

  constructor(private readonly folder: string) {
    this.#snapshot = join(folder, 'snapshot.json');
    this.#setAside = join(folder, 'snapshot.void.json');
    this.#contact = join(folder, 'contact.json');
  }

  /** Makes the folder if need be, clears what an interrupted run left, and returns the edge's lasting id. */
  async open(): Promise<string> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const leftovers = (await readdir(this.folder)).filter((name) => name.endsWith('.tmp'));
    await Promise.all(leftovers.map((name) => rm(join(this.folder, name), { force: true })));
    await rm(this.#setAside, { force: true });

    const path = join(this.folder, 'edge-id');
    const known = edgeAckSchema.shape.edgeId.safeParse((await readIfPresent(path))?.trim());
    if (known.success) return known.data;
    const edgeId = randomUUID();
    await replaceFile(path, `${edgeId}\n`);
    return edgeId;
  }

  async load(): Promise<StoredSnapshot> {
    const text = await readIfPresent(this.#snapshot);
    if (text === undefined) return { kind: 'none' };
    const content = checkedContent(text);
    if (content === undefined) return { kind: 'damaged', reason: 'checksum mismatch' };
    const parsed = snapshotSchema.safeParse(parseJson(content));
    if (!parsed.success) return { kind: 'damaged', reason: parsed.error.issues[0]?.message ?? 'unreadable' };
    const { routes, suspended, contactAtMs, ...position } = parsed.data;
    const contact = contactSchema.safeParse(
      parseJson(checkedContent((await readIfPresent(this.#contact)) ?? '') ?? ''),
    );
    const isNewer = contact.success && contact.data.epoch === position.epoch && contact.data.contactAtMs > contactAtMs;
    return {
      kind: 'loaded',
      state: { ...position, routes: new Map([...routes, ...suspended]) },
      contactAtMs: isNewer ? contact.data.contactAtMs : contactAtMs,
    };
  }

  /** Takes its picture of the table before the first wait, so that later batches cannot be half in it. */
  async save(state: TableState, contactAtMs: number, outlasts: Outlasts): Promise<void> {
    const all = [...state.routes];
    const isSuspended = ([, { serve }]: (typeof all)[number]) => serve?.kind === 'suspended';
    const suspended = all.filter(isSuspended);
    const routes = suspended.length === 0 ? all : all.filter((entry) => !isSuspended(entry));
    const content = JSON.stringify({ ...state, contactAtMs, routes, suspended });
    await replaceCheckedFile(this.#snapshot, content, outlasts);
  }

  async saveContact(epoch: string, contactAtMs: number): Promise<void> {
    await replaceCheckedFile(this.#contact, JSON.stringify({ epoch, contactAtMs }));
  }

  /** Makes the snapshot void: from now on a crash leaves an edge that knows nothing. A contact alone proves nothing. */
  async setAside(): Promise<void> {
    await rename(this.#snapshot, this.#setAside).catch(ignoreAbsence);
    await syncFolder(this.folder);
  }

  /** Takes `setAside` back. Only when the API still waits for this edge. */
  async bringBack(): Promise<void> {
    await rename(this.#setAside, this.#snapshot).catch(ignoreAbsence);
    await syncFolder(this.folder);
  }

  async discardSetAside(): Promise<void> {
    await rm(this.#setAside, { force: true });
    await syncFolder(this.folder);
  }
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    ignoreAbsence(error);
    return undefined;
  }
}

/** @throws every error but the absence of the file */
function ignoreAbsence(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
