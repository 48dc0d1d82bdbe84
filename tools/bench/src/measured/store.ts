import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@pets/dev-stack';
import type { z } from 'zod';

/** Where records and pages are kept in the repository. */
const DOCS = join(repositoryRoot, 'docs');
const MEASURED = join(DOCS, 'measured');

type Page = 'performance' | 'reliability';

/** @returns null where nothing was recorded under this name */
export function readRecord<Schema extends z.ZodType>(name: string, schema: Schema): z.infer<Schema> | null {
  const path = pathOf(name);
  return existsSync(path) ? schema.parse(JSON.parse(readFileSync(path, 'utf8'))) : null;
}

/** Replaces the record of this name. */
export function writeRecord(name: string, record: object): void {
  mkdirSync(MEASURED, { recursive: true });
  writeFileSync(pathOf(name), `${JSON.stringify(record, null, 2)}\n`);
}

export function readPage(name: Page): string {
  return readFileSync(join(DOCS, `${name}.md`), 'utf8');
}

export function writePage(name: Page, text: string): void {
  writeFileSync(join(DOCS, `${name}.md`), text);
}

function pathOf(name: string): string {
  return join(MEASURED, `${name}.json`);
}
