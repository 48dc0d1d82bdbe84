import { Injectable } from '@nestjs/common';
import type { Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { AuditLog } from '../../access/audit/audit-log.js';
import { DomainOccurrences } from '../../lifecycle/domain-occurrences.js';
import { DomainHistoryRepository } from '../../names/domain-history.repository.js';
import type { DomainRow } from '../../names/domain-row.js';
import { OriginsRepository } from '../../projects/origins/origins.repository.js';
import type { ProjectRow } from '../../projects/projects.repository.js';

/** Writes that only a move makes. The transaction holds the locks of both projects. */
@Injectable()
export class DomainMovesRepository {
  /**
   * Gives domains to another project. Their changes have numbers of the project before; the line of history that follows
   * announces the domains to the readers of the other one.
   */
  async setProject(tx: Tx, ids: readonly string[], projectId: string): Promise<void> {
    await sql`
      with gone as (delete from domain_changes where domain_id = any(${ids}))
      update domains set project_id = ${projectId} where id = any(${ids})`.execute(tx);
  }

  /**
   * Lets the next line of history of a project have a higher number than every line of another one: the history of a domain
   * is read in the order of the numbers, also where it has lines of several projects.
   */
  async advanceNumbers(tx: Tx, projectId: string, behindProjectId: string): Promise<void> {
    await sql`
      update projects p set event_number = b.event_number from projects b
      where p.id = ${projectId} and b.id = ${behindProjectId} and p.event_number < b.event_number`.execute(tx);
  }
}

/** Domains that move between two projects whose locks the transaction holds. */
export interface Move {
  readonly source: ProjectRow;
  readonly target: ProjectRow;
  readonly domains: readonly DomainRow[];
  readonly apiKeyId: string;
  readonly at: Date;
}

/** Writes a move: the rows of the domains and their origins, a line of history in each project, audit events and webhook events. */
@Injectable()
export class MoveRecords {
  constructor(
    private readonly moves: DomainMovesRepository,
    private readonly origins: OriginsRepository,
    private readonly history: DomainHistoryRepository,
    private readonly audit: AuditLog,
    private readonly occurrences: DomainOccurrences,
  ) {}

  /** The number of statements does not depend on the number of domains. @returns ids of the origins that move along */
  async write(tx: Tx, move: Move): Promise<readonly string[]> {
    const { source, target, domains, at } = move;
    const ids = domains.map(({ id }) => id);
    await this.recordLines(tx, move, source, `moved to the project ${target.slug}`);
    await this.moves.advanceNumbers(tx, target.id, source.id);
    await this.moves.setProject(tx, ids, target.id);
    const origins = await this.origins.moveOfDomains(tx, ids, target.id);
    await this.recordLines(tx, move, target, `moved here from the project ${source.slug}`);
    await this.audit.recordAll(
      tx,
      domains.map(({ id, organizationId, name }) => ({
        ...{ organizationId, type: 'domain.moved' as const },
        subject: { kind: 'domain', id },
        detail: { name, projectId: target.id, fromProjectId: source.id },
      })),
    );
    await this.occurrences.record(
      tx,
      domains.map(({ id: domainId, organizationId }) => {
        const projects = { projectId: target.id, previousProjectId: source.id };
        return { type: 'domain.moved', domainId, organizationId, ...projects, at };
      }),
    );
    return origins;
  }

  private async recordLines(
    tx: Tx,
    { domains, apiKeyId, at }: Move,
    project: ProjectRow,
    detail: string,
  ): Promise<void> {
    await this.history.recordAll(
      tx,
      domains.map(({ id, state }) => ({
        domain: { id, projectId: project.id },
        line: { type: 'owner.moved', from: state, to: state, detail, apiKeyId, at },
      })),
    );
  }
}
