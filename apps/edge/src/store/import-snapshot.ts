import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { edgeRouteSchema } from '@pets/contracts';
import { z } from 'zod';
import { checkedContent } from '../routing/durable-file.js';
import { readIfPresent, VOID_SNAPSHOT } from './table-files.js';
import type { RouteRow, StorePosition } from './table-schema.js';

const SNAPSHOT = 'snapshot.json';
const CONTACT = 'contact.json';

/**
 * The files of an edge of the release before, which kept its table in one JSON text, in the order in which they are renamed
 * after the import: a contact without its table would look like one that was voided. The next release deletes all this.
 */
export const importedFiles = [CONTACT, SNAPSHOT] as const;

/**
 * Whether an edge of the release before has run in the folder since the last import. What it acknowledged is only in its own
 * files, so a store beside them may serve names that were removed since.
 */
export function hasPreviousReleaseRun(folder: string): boolean {
  return [...importedFiles, VOID_SNAPSHOT].some((name) => existsSync(join(folder, name)));
}

const snapshotSchema = z.object({
  epoch: z.string(),
  version: z.int().nonnegative(),
  thumbprint: z.string().nullable(),
  contactAtMs: z.number(),
  protocol: z.int().default(1),
  routes: z.array(z.tuple([z.string(), edgeRouteSchema])),
  suspended: z.array(z.tuple([z.string(), edgeRouteSchema])).default([]),
});

/** Written more often than the table. It counts when it is newer, since it vouches for every version acknowledged before. */
const contactSchema = z.object({ epoch: z.string(), contactAtMs: z.number() });

export interface ImportedTable {
  readonly position: StorePosition;
  readonly contactAtMs: number;
  readonly rows: readonly RouteRow[];
}

/** @returns undefined when there is no snapshot, and 'damaged' when it is not what was written */
export async function readSnapshot(folder: string): Promise<ImportedTable | 'damaged' | undefined> {
  const text = await readIfPresent(join(folder, SNAPSHOT));
  if (text === undefined) return undefined;
  const snapshot = snapshotSchema.safeParse(parseChecked(text));
  if (!snapshot.success) return 'damaged';
  const { routes, suspended, contactAtMs, ...position } = snapshot.data;

  const contact = contactSchema.safeParse(parseChecked((await readIfPresent(join(folder, CONTACT))) ?? ''));
  const isOfSnapshot = contact.success && contact.data.epoch === position.epoch;
  const { version } = position;
  const rows = [...new Map([...routes, ...suspended])]
    .map(([host, route]) => ({ host, version, route: JSON.stringify(route) }))
    .sort((a, b) => (a.host < b.host ? -1 : 1));
  return { position, contactAtMs: isOfSnapshot ? Math.max(contact.data.contactAtMs, contactAtMs) : contactAtMs, rows };
}

function parseChecked(text: string): unknown {
  const content = checkedContent(text);
  return content === undefined ? undefined : JSON.parse(content);
}
