import { Inject, Injectable } from '@nestjs/common';
import type { DomainHistoryEntry, DomainState } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import type { PageBounds } from '../listing/pages.js';
import { DATABASE } from '../providers.js';

/** What a line of history is about. */
export type HistoryOf = { readonly projectId: string } | { readonly domainId: string };

export interface HistoryLine {
  /** The number of the entry, by which pages are cut. */
  readonly id: bigint;
  readonly entry: DomainHistoryEntry;
}

export interface NewHistoryLine {
  readonly type: string;
  readonly from: DomainState | null;
  readonly to: DomainState;
  readonly detail: string;
  /** The API key that did it; null for what happened by itself. */
  readonly apiKeyId: string | null;
  readonly at: Date;
}

@Injectable()
export class DomainHistoryRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Adds a line. Numbers ascend without gaps in each project, whose row the caller holds locked. */
  async record(
    tx: Tx,
    domain: { readonly id: string; readonly projectId: string },
    line: NewHistoryLine,
  ): Promise<void> {
    const { event_number: number } = await tx
      .updateTable('projects')
      .set({ event_number: sql`event_number + 1` })
      .where('id', '=', domain.projectId)
      .returning('event_number')
      .executeTakeFirstOrThrow();
    await tx
      .insertInto('domain_events')
      .values({
        project_id: domain.projectId,
        number,
        domain_id: domain.id,
        type: line.type,
        from_state: line.from,
        to_state: line.to,
        detail: line.detail,
        api_key_id: line.apiKeyId,
        at: line.at,
      })
      .execute();
  }

  /** Oldest first. */
  async list(of: HistoryOf, { limit, afterId }: PageBounds): Promise<HistoryLine[]> {
    const rows = await this.db
      .selectFrom('domain_events as e')
      .leftJoin('api_keys as k', 'k.id', 'e.api_key_id')
      .select(['e.number', 'e.domain_id', 'e.type', 'e.from_state', 'e.to_state', 'e.detail', 'e.at'])
      .select(['e.api_key_id', 'k.display'])
      .where('projectId' in of ? 'e.project_id' : 'e.domain_id', '=', 'projectId' in of ? of.projectId : of.domainId)
      .where('e.number', '>', BigInt(afterId))
      .orderBy('e.number')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      id: row.number,
      entry: {
        number: Number(row.number),
        domainId: row.domain_id,
        type: row.type,
        from: row.from_state as DomainState | null, // only such are written
        to: row.to_state as DomainState,
        actor: { kind: row.api_key_id === null ? 'system' : 'api_key', id: row.api_key_id, display: row.display },
        detail: row.detail,
        at: row.at.toISOString(),
      },
    }));
  }
}
