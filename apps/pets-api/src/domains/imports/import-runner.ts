/**
 * Does imports piece by piece. A piece is one transaction that locks its import, changes the domains and stores their
 * results: after a crash, another replica continues exactly there, and no line is done twice or lost.
 *
 * The import that has waited longest is next, so all imports advance at the same rate. A replica does one piece at a time, at
 * most 250 lines a second, and rests for at least as long as a piece took.
 * The first DNS checks of the names are spread over a longer time (`spreadFirstCheck`), since they cost more than adding them.
 */
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { pause } from '@pets/async';
import { apiErrorOf, type AddedName, type ApiError, type DomainImportLine } from '@pets/contracts';
import { findWriteBlock } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { RequestError, type Logger } from '@pets/platform';
import { actAs } from '../../access/audit/requester.js';
import { SuspensionsRepository } from '../../access/suspensions/suspensions.repository.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { DATABASE, LOG } from '../../platform/providers.js';
import { ProjectsRepository, type ProjectRow } from '../../projects/projects.repository.js';
import { DomainBatchesService } from '../domain-batches.service.js';
import type { AdditionRequest } from '../domain-insertion.js';
import { DomainImportsRepository, type DonePiece, type ImportRow } from './domain-imports.repository.js';
import type { ImportLine } from './parse-import.js';

/** No notification announces a piece that is tried again. */
const POLL_MS = 1_000;
/** The shortest rest. */
const MIN_REST_MS = 20;
/** From one piece to the next, for each line of it: 250 lines a second. */
const LINE_EVERY_MS = 4;
/** A piece that fails this often in a row fails its import: four minutes. */
const MAX_FAILURES = 8;
const MAX_RETRY_SECONDS = 60;

@Injectable()
export class ImportRunner implements OnModuleInit {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
    private readonly imports: DomainImportsRepository,
    private readonly projects: ProjectsRepository,
    private readonly suspensions: SuspensionsRepository,
    private readonly batches: DomainBatchesService,
    private readonly tasks: BackgroundTasks,
  ) {}

  onModuleInit(): void {
    this.tasks.poll({
      channel: 'domain_imports',
      pollMs: POLL_MS,
      pauseMs: MIN_REST_MS,
      failure: 'imports not read; trying again',
      round: (signal) => this.round(signal),
    });
  }

  private async round(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      const lines = await this.runPiece();
      if (lines === null) return;
      const tookMs = performance.now() - began;
      await pause(Math.max(MIN_REST_MS, tookMs, lines * LINE_EVERY_MS - tookMs), signal);
    }
  }

  /** @returns how many lines it had; null if there was none */
  private async runPiece(): Promise<number | null> {
    let found: ImportRow | null = null;
    try {
      return await this.db.transaction().execute(async (tx) => {
        found = await this.imports.lockDue(tx);
        return found === null ? null : this.advance(tx, found);
      });
    } catch (error) {
      // TypeScript does not see the assignment in the callback.
      const failed = found as ImportRow | null;
      if (failed === null) throw error;
      await this.postpone(failed, error);
      return 0;
    }
  }

  /** @returns how many lines were done */
  private async advance(tx: Tx, row: ImportRow): Promise<number> {
    const project = await this.projects.lock(tx, row.projectId);
    const refusal = await this.findRefusal(tx, row);
    const piece = refusal === null ? await this.imports.findPiece(tx, row) : null;
    if (piece !== null) {
      const done = await actAs(
        () => row.requester,
        () => this.run(tx, project, row, piece),
      );
      await this.imports.savePiece(tx, row, done);
    }
    const lines = piece?.length ?? 0;
    if (refusal !== null) await this.imports.end(tx, row.id, 'failed', refusal);
    else if (piece === null || doneOf(row) + lines >= row.lines) await this.imports.end(tx, row.id, 'finished', null);
    await this.imports.announce(tx, row);
    return lines;
  }

  /** Returns why a request of the importer would be refused now; null if it would not. */
  private async findRefusal(tx: Tx, { apiKeyId, projectId }: ImportRow): Promise<string | null> {
    if (!(await this.imports.mayContinue(tx, apiKeyId, new Date())))
      return 'The API key or person that started the import may no longer change domains.';
    const block = findWriteBlock((await this.suspensions.ofProjects([projectId], tx)).get(projectId) ?? []);
    return block === undefined ? null : `The ${block.scope} is suspended: ${block.reason}.`;
  }

  /** The number of statements does not depend on the number of lines. */
  private async run(tx: Tx, project: ProjectRow, row: ImportRow, piece: readonly ImportLine[]): Promise<DonePiece> {
    const named = piece.flatMap(({ name, fault, ...labels }) =>
      name === null || fault !== undefined ? [] : { name, ...labels },
    );
    const { results, removedVersion } = await this.apply(tx, project, row, named);
    const next = results[Symbol.iterator]();
    const first = doneOf(row) + 1;
    return {
      removedVersion,
      results: piece.map(({ name, fault, externalId = null }, index): DomainImportLine => {
        const done = name === null || fault !== undefined ? undefined : next.next().value;
        const result = done ?? refused(name, apiErrorOf('invalid_parameter', fault ?? ''));
        return { line: first + index, externalId, ...result };
      }),
    };
  }

  private async apply(
    tx: Tx,
    project: ProjectRow,
    { action, apiKeyId, lines }: ImportRow,
    named: readonly AddedName[],
  ): Promise<{ readonly results: readonly LineResult[]; readonly removedVersion: number | null }> {
    if (action === 'add')
      return {
        results: await this.addPiece(tx, project, named, { apiKeyId, together: lines, isImport: true }),
        removedVersion: null,
      };
    const names = named.map(({ name }) => name);
    const removed = await this.batches.removePiece(tx, project, names, { apiKeyId, isImport: true });
    const versions = removed.flatMap(({ outcome }) => (outcome.kind === 'removed' ? (outcome.version ?? []) : []));
    const results = removed.map(({ name, outcome }): LineResult =>
      outcome.kind === 'refused'
        ? refused(name, outcome.error.toApiError())
        : { name, result: 'removed', id: outcome.id, records: [], error: null },
    );
    return { results, removedVersion: versions.length === 0 ? null : Math.max(...versions) };
  }

  private async addPiece(
    tx: Tx,
    project: ProjectRow,
    named: readonly AddedName[],
    request: AdditionRequest,
  ): Promise<readonly LineResult[]> {
    try {
      return await this.batches.addPiece(tx, project, named, request);
    } catch (error) {
      // Nothing can be added to the project at the moment.
      if (!(error instanceof RequestError)) throw error;
      return named.map(({ name }) => refused(name, error.toApiError()));
    }
  }

  private async postpone({ id, failuresInARow }: ImportRow, error: unknown): Promise<void> {
    const isLast = failuresInARow + 1 >= MAX_FAILURES;
    const outcome = isLast ? 'import failed' : 'piece of an import failed; trying again';
    this.log.error({ err: error, importId: id, failures: failuresInARow + 1 }, outcome);
    const reason = 'Something went wrong on our side. The lines without a result were not done.';
    await this.db.transaction().execute(async (tx) => {
      if (isLast) await this.imports.end(tx, id, 'failed', reason);
      else await this.imports.postpone(tx, id, Math.min(2 ** failuresInARow, MAX_RETRY_SECONDS));
    });
  }
}

type LineResult = Omit<DomainImportLine, 'line' | 'externalId'>;

/** How many lines have a result. */
function doneOf({ created, existing, removed, refused: refusedLines }: ImportRow): number {
  return created + existing + removed + refusedLines;
}

function refused(name: string | null, error: ApiError): LineResult {
  return { name, result: 'refused', id: null, records: [], error };
}
