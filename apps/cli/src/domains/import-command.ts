import { randomUUID } from 'node:crypto';
import { createWriteStream, openAsBlob } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DomainImport } from '@pets/contracts';
import type { CommandContext, Command } from '../command.js';
import { report, usageFailure, type Report } from '../outcome/outcome.js';
import { pluralize } from '../terminal/format.js';

const POLL_MS = 1_000;

export interface ImportOptions {
  readonly remove?: true;
  readonly wait: boolean;
  /** Path of the report. */
  readonly report?: string;
}

/** Adds or removes the domains of a file, waits until it is done, and saves the report. */
export const importDomains: Command<[file: string, options: ImportOptions]> = async (context, file, options) => {
  const { api, terminal } = context;
  const projectId = await context.findProjectId();
  await access(file, constants.R_OK).catch(() => {
    throw usageFailure('file_unreadable', `Cannot read ${file}.`);
  });
  const contentType = extname(file).toLowerCase() === '.csv' ? 'text/csv' : 'application/x-ndjson';
  const begun: DomainImport = await api.data(
    api.http.POST('/v1/projects/{projectId}/domain-imports', {
      params: {
        path: { projectId },
        query: { action: options.remove === true ? 'remove' : 'add' },
        header: { 'Idempotency-Key': randomUUID() },
      },
      headers: { 'content-type': contentType },
      body: await openAsBlob(file),
      bodySerializer: (body: Blob) => body,
    }),
  );
  terminal.progress(`uploaded: import ${begun.id} has ${pluralize(begun.lines, 'line')}`);
  if (!options.wait)
    return report('done', 'started', `Import ${begun.id} has started.`, { result: begun, text: begun.id });
  const done = await waitUntilEnded(context, begun);
  const saved = options.report ?? `${file}.report${contentType === 'text/csv' ? '.csv' : '.ndjson'}`;
  await saveReport(context, done.id, saved);
  return summarize(done, saved);
};

async function waitUntilEnded(
  { api, findProjectId, terminal }: CommandContext,
  begun: DomainImport,
): Promise<DomainImport> {
  const projectId = await findProjectId();
  let current = begun;
  for (;;) {
    const params = { path: { projectId, importId: begun.id } };
    const next: DomainImport = await api.data(
      api.http.GET('/v1/projects/{projectId}/domain-imports/{importId}', { params }),
    );
    if (next.done !== current.done) terminal.progress(`${next.done} of ${pluralize(next.lines, 'line')}`);
    current = next;
    if (current.state !== 'running') return current;
    await sleep(POLL_MS);
  }
}

async function saveReport({ api, findProjectId }: CommandContext, importId: string, path: string): Promise<void> {
  const projectId = await findProjectId();
  const { data } = await api.result(
    api.http.GET('/v1/projects/{projectId}/domain-imports/{importId}/report', {
      params: { path: { projectId, importId } },
      parseAs: 'stream',
    }),
  );
  if (data === undefined || data === null) return;
  await pipeline(Readable.fromWeb(data), createWriteStream(path));
}

function summarize(done: DomainImport, saved: string): Report {
  const { created, exists, removed, refused } = done.results;
  const counts = [
    ...(created > 0 ? [`${created} added`] : []),
    ...(exists > 0 ? [`${exists} there before`] : []),
    ...(removed > 0 ? [`${removed} removed`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ].join(', ');
  const details = { result: done, text: saved };
  const message = `${counts === '' ? 'Nothing was done' : counts}. The report is in ${saved}.`;
  if (done.state === 'failed') return report('refused', 'import_failed', `${done.reason ?? ''} ${message}`, details);
  if (done.state === 'cancelled') return report('refused', 'import_cancelled', `Cancelled. ${message}`, details);
  if (refused > 0) return report('refused', 'lines_refused', message, details);
  if (done.pendingEdges > 0)
    return report(
      'not_yet',
      'edges_pending',
      `${message} ${pluralize(done.pendingEdges, 'edge')} may still serve some.`,
      details,
    );
  return report('done', 'imported', message, details);
}
