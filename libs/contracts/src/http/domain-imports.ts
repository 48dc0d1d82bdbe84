import { z } from 'zod';
import { domainImportActions, domainImportStates } from '../enums.js';
import { domainExample } from './domains.example.js';
import type { RequiredRecord } from './domains.js';
import type { ApiError } from './errors.js';
import { projectPathSchema } from './projects.js';
import { instantSchema } from './scalars.js';

/** The most that one file may have. A line includes its end. */
export const importLimits = { lines: 100_000, lineBytes: 4_096, bytes: 32 * 1_048_576 } as const;

/** Query of createDomainImport. */
export const newDomainImportSchema = z.strictObject({
  action: z.enum(domainImportActions).default('add').describe('Whether the domains of the file are added or removed.'),
});

export type NewDomainImport = z.infer<typeof newDomainImportSchema>;

const importExample = {
  id: '5e0c8a3e-7a53-4c53-9b0e-2f9d1c6b7a84',
  projectId: domainExample.projectId,
  action: 'add',
  state: 'running',
  reason: null,
  lines: 100_000,
  done: 12_300,
  results: { created: 12_270, exists: 20, removed: 0, refused: 10 },
  pendingEdges: 0,
  createdAt: '2026-11-02T09:10:00.000Z',
  endedAt: null,
};

const count = z.int().min(0);

/** An import or a removal of many domains, and how far it is. */
export const domainImportSchema = z
  .object({
    id: z.uuid(),
    projectId: z.uuid(),
    action: z.enum(domainImportActions),
    state: z
      .enum(domainImportStates)
      .describe('`finished`, `cancelled` and `failed` are final. What was done before stays done.'),
    reason: z.string().nullable().describe('Why the import failed; null unless it did.'),
    lines: count.describe('Lines of the file, without the header of a CSV file.'),
    done: count.describe('Lines that have a result.'),
    results: z
      .object({ created: count, exists: count, removed: count, refused: count })
      .describe('How many lines have each result.'),
    pendingEdges: count.describe('How many edges may still serve some of the domains that were removed.'),
    createdAt: instantSchema,
    endedAt: instantSchema.nullable().describe('The import and its report are deleted 30 days later.'),
  })
  .meta({ id: 'DomainImport', description: 'An import or a removal of many domains.', example: importExample });

export type DomainImport = z.infer<typeof domainImportSchema>;

/** A line of a report: what became of a line of the file. */
export interface DomainImportLine {
  /** The number of the line, from 1, without the header of a CSV file. */
  readonly line: number;
  /** Name as it was sent; null if the line has none. */
  readonly name: string | null;
  readonly result: 'created' | 'exists' | 'removed' | 'refused';
  readonly id: string | null;
  /** The DNS records to create. */
  readonly records: readonly RequiredRecord[];
  readonly error: ApiError | null;
  /** External id of the line, if it has one. */
  readonly externalId?: string | null;
}

export const domainImportPathSchema = z.strictObject({
  ...projectPathSchema.shape,
  importId: z.uuid().meta({ description: 'The id of the import.', example: importExample.id }),
});
