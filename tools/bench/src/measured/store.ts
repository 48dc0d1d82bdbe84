import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@pets/dev-stack';
import type { z } from 'zod';
import type { RunRecord } from './record.js';

/** Where records and pages are kept in the repository. */
const DOCS = join(repositoryRoot, 'docs');
const MEASURED = join(DOCS, 'measured');
/** The prefix of the records of chaos suites. */
const CHAOS = 'chaos-';

type Kind = 'bench' | 'chaos';
type Page = 'performance' | 'reliability';

export function readRecords<Schema extends z.ZodType>(kind: Kind, schema: Schema): z.infer<Schema>[] {
  if (!existsSync(MEASURED)) return [];
  return readdirSync(MEASURED)
    .filter((file) => file.endsWith('.json') && file.startsWith(CHAOS) === (kind === 'chaos'))
    .sort()
    .map((file) => schema.parse(JSON.parse(readFileSync(join(MEASURED, file), 'utf8'))));
}

/** Replaces the record of its suite. */
export function writeRecord(kind: Kind, record: RunRecord): void {
  mkdirSync(MEASURED, { recursive: true });
  const file = `${kind === 'chaos' ? CHAOS : ''}${record.suite}.json`;
  writeFileSync(join(MEASURED, file), `${JSON.stringify(record, null, 2)}\n`);
}

export function readPage(name: Page): string {
  return readFileSync(join(DOCS, `${name}.md`), 'utf8');
}

export function writePage(name: Page, text: string): void {
  writeFileSync(join(DOCS, `${name}.md`), text);
}
