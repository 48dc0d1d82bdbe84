import { Readable } from 'node:stream';
import { Body, Controller, Get, Headers, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import {
  newDomainImportSchema,
  type DomainImport,
  type DomainImportFormat,
  type DomainImportLine,
  type NewDomainImport,
} from '@pets/contracts';
import { RequestError } from '@pets/platform';
import { z } from 'zod';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { idSchema } from '../../http/input-validation.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { DomainImportsRepository } from './domain-imports.repository.js';
import { DomainImports } from './domain-imports.service.js';

type Id = z.infer<typeof idSchema>;

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' } as const;

@Controller('v1/projects/:projectId/domain-imports')
export class DomainImportsController {
  constructor(
    private readonly service: DomainImports,
    private readonly imports: DomainImportsRepository,
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * Starts an import. The file is stored before its idempotency key is taken, like a bundle: a transaction never waits
   * for a client.
   */
  @Post()
  async create(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Query({ schema: newDomainImportSchema }) { action }: NewDomainImport,
    @Headers('content-type') contentType: string | undefined,
    @Headers('content-length') contentLength: string | undefined,
    @Body() file: unknown,
  ): Promise<DomainImport | JsonText> {
    if (!(file instanceof Readable))
      throw new RequestError('unsupported_media_type', 'The body must be application/x-ndjson or text/csv.');
    const format = contentType?.toLowerCase().startsWith('text/csv') ? 'csv' : 'ndjson';
    const declaredBytes = contentLength === undefined ? null : Number(contentLength);
    const stored = await this.service.store(call.principal, projectId, { action, format, declaredBytes }, file);
    try {
      return await this.idempotency.run({ ...call, body: stored.contentHash }, async (db) => ({
        body: await this.service.start(db, stored),
        location: `/v1/projects/${projectId}/domain-imports/${stored.id}`,
      }));
    } finally {
      await this.service.discard(stored);
    }
  }

  @Get()
  list(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
  ): Promise<DomainImport[]> {
    return this.service.list(principal, projectId);
  }

  @Get(':importId')
  async get(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('importId', { schema: idSchema }) importId: Id,
  ): Promise<DomainImport> {
    return this.service.present(await this.service.get(principal, projectId, importId));
  }

  @Get(':importId/report')
  async report(
    @CurrentPrincipal() principal: Principal,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('importId', { schema: idSchema }) importId: Id,
  ): Promise<StreamableFile> {
    const { id, format } = await this.service.get(principal, projectId, importId);
    const report = Readable.from(writeReport(this.imports.eachResult(id), format), { objectMode: false });
    return new StreamableFile(report, { type: types[format] });
  }

  @Post(':importId/cancel')
  @HttpCode(200)
  cancel(
    @CurrentCall() call: IdempotentCall,
    @Param('projectId', { schema: idSchema }) projectId: Id,
    @Param('importId', { schema: idSchema }) importId: Id,
  ): Promise<DomainImport | JsonText> {
    return this.idempotency.run(call, async (db) => ({
      body: await this.service.cancel(db, call.principal, projectId, importId),
    }));
  }
}

const header = [
  ...['line', 'name', 'result', 'id', 'record_type', 'record_name', 'record_value'],
  ...['error_code', 'error_message', 'external_id'],
];

/** The report of an import, in the format of its file. */
async function* writeReport(
  results: AsyncIterable<DomainImportLine>,
  format: DomainImportFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvRecord(header);
  for await (const result of results) yield format === 'csv' ? csvRecords(result) : `${JSON.stringify(result)}\n`;
}

/** One for each record to create, at least one. */
function csvRecords({ line, name, result, id, records, error, externalId }: DomainImportLine): string {
  const start = [String(line), name ?? '', result, id ?? ''];
  const end = [error?.code ?? '', error?.message ?? '', externalId ?? ''];
  const shown = records.length === 0 ? [null] : records;
  return shown
    .map((record) => csvRecord([...start, record?.type ?? '', record?.name ?? '', record?.value ?? '', ...end]))
    .join('');
}

function csvRecord(fields: readonly string[]): string {
  return `${fields.map(csvField).join(',')}\r\n`;
}

/** RFC 4180. An apostrophe before what a spreadsheet would take for a formula, since strangers choose names. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
