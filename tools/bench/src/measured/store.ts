import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@pets/dev-stack';
import type { z } from 'zod';
import { renderPerformance, renderPlots } from './performance-page.js';
import { benchRecord, type BenchRecord, type RunRecord } from './record.js';

/** The records and the pages that are made of them, where they are kept in the repository. */

const DOCS = join(repositoryRoot, 'docs');
const MEASURED = join(DOCS, 'measured');
/** Records of this name are of what was broken on purpose; the others are of what was measured. */
const CHAOS = 'chaos-';

type Kind = 'bench' | 'chaos';

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

export function readPage(name: 'performance' | 'reliability'): string {
  return readFileSync(join(DOCS, `${name}.md`), 'utf8');
}

export function writePage(name: 'performance' | 'reliability', text: string): void {
  writeFileSync(join(DOCS, `${name}.md`), text);
}

/** The plots as they lie there, by suite. */
export function readPlots(): ReadonlyMap<string, string> {
  const files = existsSync(MEASURED) ? readdirSync(MEASURED).filter((file) => file.endsWith('.svg')) : [];
  return new Map(
    files.map((file) => [file.slice(0, -'.svg'.length), readFileSync(join(MEASURED, file), 'utf8')] as const),
  );
}

/** Makes docs/performance.md and its plots anew from all records. */
export function writePerformance(): void {
  const records: readonly BenchRecord[] = readRecords('bench', benchRecord);
  writePage('performance', renderPerformance(readPage('performance'), records));
  const plots = renderPlots(records);
  for (const [suite, plot] of plots) writeFileSync(join(MEASURED, `${suite}.svg`), plot);
  for (const suite of readPlots().keys()) if (!plots.has(suite)) rmSync(join(MEASURED, `${suite}.svg`));
}
