/**
 * Imports of many domains, and their removal.
 *
 * The file is parsed in a thread while it arrives and stored in pieces of 100 lines (`parse-import.ts`). Nothing of it is done
 * before the last line is stored: a file with a fault, or a client that leaves, has no effect. Then `import-runner.ts` does it
 * piece by piece. Results are stored with the pieces, and the report is read from there. Ended imports are deleted after a time.
 */
import { createHash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { importLimits, type DomainImport, type DomainImportFormat, type NewDomainImport } from '@pets/contracts';
import { inTransaction, notify, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { AuditLog } from '../../access/audit/audit-log.js';
import { currentRequester } from '../../access/audit/requester.js';
import { DatabaseBudget, importRefused, type AdmittedImport } from '../../access/limits/database-budget.service.js';
import { LimitsService } from '../../access/limits/limits.service.js';
import type { Principal } from '../../http/principal.js';
import { requireProgress, uploadProgress } from '../../http/require-progress.js';
import { ProjectsRepository, ProjectTransactions } from '../../projects/projects.repository.js';
import { DomainAdmission } from '../domain-admission.js';
import { PIECE } from '../domain-batches.service.js';
import { EdgeAcknowledgements } from '../../names/edge-ports.js';
import { DomainImportsRepository, type ImportRow } from './domain-imports.repository.js';
import { ImportParser, type ParsedPiece } from './import-parser.js';

/** Imports of an organization that are under way. */
const MAX_OPEN = 5;
const RETRY_AFTER_SECONDS = '10';

/** A file that is stored completely. */
export interface StoredImport {
  readonly id: string;
  readonly lines: number;
  readonly bytes: number;
  /** Hash of the file as it was sent. */
  readonly contentHash: string;
}

/** A file that a client begins to send. */
export interface ImportFile extends NewDomainImport {
  readonly format: DomainImportFormat;
  /** Null if the client did not declare its length. */
  readonly declaredBytes: number | null;
}

@Injectable()
export class DomainImports implements OnApplicationShutdown {
  private readonly parser = new ImportParser();

  constructor(
    private readonly transactions: ProjectTransactions,
    private readonly imports: DomainImportsRepository,
    private readonly projects: ProjectsRepository,
    private readonly limits: LimitsService,
    private readonly admission: DomainAdmission,
    private readonly acks: EdgeAcknowledgements,
    private readonly audit: AuditLog,
    private readonly budget: DatabaseBudget,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.parser.close();
  }

  /**
   * Stores a file.
   * @throws RequestError `not_found`, `plan_required`, `deployment_required`, `rate_limited`, `storage_limit_reached`,
   * `invalid_import`, `timeout`, `unavailable`
   */
  async store(
    principal: Principal,
    projectId: string,
    { action, format, declaredBytes }: ImportFile,
    body: AsyncIterable<Buffer>,
  ): Promise<StoredImport> {
    await this.projects.get(principal.organizationId, projectId);
    if (action === 'add') this.admission.requireIncluded(principal.limits);
    const { id, ...admitted } = await this.open(principal, projectId, { action, format, declaredBytes });
    const received = { bytes: 0 };
    const hash = createHash('sha256').update(`${action} ${format} `);
    try {
      const sent = requireProgress(body, uploadProgress);
      const chunks = limited(hashed(sent, hash), received, admitted, principal.limits);
      const lines = await this.storePieces(id, this.parser.parse(chunks, { action, format }, PIECE));
      if (lines === 0) throw new RequestError('invalid_import', 'The file has no lines.');
      return { id, lines, bytes: received.bytes, contentHash: hash.digest('hex') };
    } catch (error) {
      await this.imports.discard(id);
      throw error;
    } finally {
      await this.budget.returnUnused(principal.organizationId, admitted.bytes - received.bytes);
    }
  }

  /** Begins the work on a stored file. */
  async start(db: Database, { id, lines, bytes }: StoredImport): Promise<DomainImport> {
    return inTransaction(db, async (tx) => {
      const row = await this.imports.start(tx, id, { lines, bytes });
      await this.record(tx, row, 'domain_import.created');
      await notify(tx, 'domain_imports');
      return presentImport(row, 0);
    });
  }

  /** Deletes a stored file that was not started, such as that of a repeated request. */
  async discard({ id }: StoredImport): Promise<void> {
    await this.imports.discard(id);
  }

  /** @throws RequestError `not_found` */
  async get({ organizationId }: Principal, projectId: string, id: string): Promise<ImportRow> {
    await this.projects.get(organizationId, projectId);
    return required(await this.imports.find(projectId, id));
  }

  /** @throws RequestError `not_found` */
  async list({ organizationId }: Principal, projectId: string): Promise<DomainImport[]> {
    await this.projects.get(organizationId, projectId);
    const rows = await this.imports.list(projectId);
    return Promise.all(rows.map((row) => this.present(row)));
  }

  /** Ends an import after the piece that is under way. @throws RequestError `not_found` */
  async cancel(db: Database, { organizationId }: Principal, projectId: string, id: string): Promise<DomainImport> {
    await this.projects.get(organizationId, projectId, db);
    return inTransaction(db, async (tx) => {
      const row = required(await this.imports.lock(tx, projectId, id));
      if (row.state === 'running') {
        await this.imports.end(tx, id, 'cancelled', null);
        await this.imports.announce(tx, row);
        await this.record(tx, row, 'domain_import.cancelled');
      }
      return this.present(required(await this.imports.find(projectId, id, tx)), tx);
    });
  }

  async present(row: ImportRow, db?: Database): Promise<DomainImport> {
    const { removedVersion } = row;
    return presentImport(row, removedVersion === null ? 0 : await this.acks.countPending(Number(removedVersion), db));
  }

  private open(
    { organizationId, apiKeyId }: Principal,
    projectId: string,
    { action, format, declaredBytes }: ImportFile,
  ): Promise<AdmittedImport & { readonly id: string }> {
    return this.transactions.run([projectId], async (tx) => {
      if (action === 'add') await this.admission.requireDeployed(tx, projectId);
      // Before the organization, as a piece of an import does: the row that is inserted refers to the project.
      await this.projects.lock(tx, projectId);
      const limits = await this.limits.lock(tx, organizationId);
      const { count, uncountedBytes } = await this.imports.readOpen(tx, organizationId);
      if (count >= MAX_OPEN)
        throw new RequestError('rate_limited', `The organization can have at most ${MAX_OPEN} imports at a time.`, {
          'retry-after': RETRY_AFTER_SECONDS,
        });
      const requester = currentRequester();
      const size = { declaredBytes, most: importLimits.bytes, uncountedBytes };
      const admitted = await this.budget.admitImport(tx, organizationId, limits, size);
      const { bytes } = admitted;
      const row = { organizationId, projectId, action, format, apiKeyId, requester, bytes };
      return { ...admitted, id: await this.imports.insert(tx, row) };
    });
  }

  private async storePieces(id: string, pieces: AsyncIterable<ParsedPiece>): Promise<number> {
    let count = 0;
    let number = 0;
    for await (const { json, lines } of pieces) {
      await this.imports.insertPiece(id, number++, json);
      count += lines;
    }
    return count;
  }

  private async record(
    tx: Tx,
    { id, organizationId, projectId, action, lines }: ImportRow,
    type: 'domain_import.created' | 'domain_import.cancelled',
  ): Promise<void> {
    const subject = { kind: 'domain_import', id } as const;
    await this.audit.record(tx, { organizationId, type, subject, detail: { projectId, action, lines } });
  }
}

async function* hashed(body: AsyncIterable<Buffer>, hash: ReturnType<typeof createHash>): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    hash.update(chunk);
    yield chunk;
  }
}

/** Counts the bytes of a file, and ends it where it has more than were admitted. */
async function* limited(
  body: AsyncIterable<Buffer>,
  received: { bytes: number },
  { bytes, limitedBy }: AdmittedImport,
  limits: Principal['limits'],
): AsyncGenerator<Buffer> {
  for await (const chunk of body) {
    const rest = bytes - received.bytes;
    received.bytes += Math.min(chunk.length, rest);
    if (limitedBy !== null && chunk.length > rest) throw importRefused(limitedBy, limits);
    yield chunk;
  }
}

function required(row: ImportRow | null): ImportRow {
  if (row === null) throw new RequestError('not_found', 'There is no such import of this project.');
  return row;
}

function presentImport(row: ImportRow, pendingEdges: number): DomainImport {
  const { id, projectId, action, state, reason, lines, created, existing, removed, refused } = row;
  return {
    ...{ id, projectId, action, reason, lines },
    state: state === 'uploading' ? 'running' : state,
    done: created + existing + removed + refused,
    results: { created, exists: existing, removed, refused },
    pendingEdges,
    createdAt: row.createdAt.toISOString(),
    endedAt: row.endedAt?.toISOString() ?? null,
  };
}
