import { Inject, Injectable } from '@nestjs/common';
import type { DomainHistoryEntry, DomainState } from '@pets/contracts';
import { notify, recordset, type Database, type DomainEventTable, type Tx } from '@pets/persistence';
import { sql, type Selectable } from 'kysely';
import type { PageBounds } from '../http/paging/pages.js';
import { DATABASE } from '../platform/providers.js';

/** The project or the domain whose history is read. */
export type HistoryOf = { readonly projectId: string } | { readonly domainId: string };

export interface HistoryLine {
  /** The number of the entry, the key of its page. */
  readonly id: bigint;
  readonly entry: DomainHistoryEntry;
}

/** The domain that a line belongs to. */
export interface HistoryOwner {
  readonly id: string;
  readonly projectId: string;
}

export interface NewHistoryLine {
  readonly type: string;
  readonly from: DomainState | null;
  readonly to: DomainState;
  readonly detail: string;
  /** The API key that did it; null for automatic changes. */
  readonly apiKeyId: string | null;
  readonly at: Date;
}

/** The lines of `project_events`, in the order of their numbers. */
@Injectable()
export class DomainHistoryRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async record(tx: Tx, domain: HistoryOwner, line: NewHistoryLine): Promise<void> {
    await this.recordAll(tx, [{ domain, line }]);
  }

  /**
   * Adds lines and wakes the readers of the projects' events. Numbers ascend in each project, without gaps unless a domain
   * moves to it (`moves/`); the caller holds its row locked.
   */
  async recordAll(
    tx: Tx,
    lines: readonly { readonly domain: HistoryOwner; readonly line: NewHistoryLine }[],
  ): Promise<void> {
    if (lines.length === 0) return;
    const given = lines.map(({ domain, line }, index) => ({
      ...line,
      projectId: domain.projectId,
      domainId: domain.id,
      index,
    }));
    await sql`
      with given as (
        select * from ${recordset('g', newLineColumns, given)}
      ), numbered as (
        update projects p set event_number = p.event_number + g.count
        from (select "projectId", count(*) from given group by 1) g where p.id = g."projectId"
        returning p.id, p.event_number - g.count as before
      ), lines as (
        select g."projectId", n.before + row_number() over (partition by g."projectId" order by g.index), g."domainId",
          g.type, g."from", g."to", g.detail, g."apiKeyId", g.at
        from given g join numbered n on n.id = g."projectId"
      )
      insert into project_events
        (project_id, number, domain_id, type, from_state, to_state, detail, api_key_id, at)
      select * from lines`.execute(tx);
    await notify(tx, 'project_events');
  }

  /** Oldest first. */
  async list(of: HistoryOf, { limit, afterId }: PageBounds): Promise<HistoryLine[]> {
    const { rows } = await sql<LineRow>`
      select e.number, e.domain_id, e.type, e.from_state, e.to_state, e.detail, e.at, e.api_key_id,
        ${actorColumns}
      from (
        select * from project_events
        where ${'projectId' in of ? sql`project_id = ${of.projectId}` : sql`domain_id = ${of.domainId}`}
          and number > ${BigInt(afterId)}
        order by number limit ${limit}
      ) e
      left join api_keys k on k.id = e.api_key_id left join people p on p.api_key_id = k.id
      order by e.number`.execute(this.db);
    return rows.map(lineOf);
  }

  /** Lines after a number in each of some projects, oldest first, at most `limit` lines a project. */
  async listAfter(positions: readonly HistoryPosition[], limit: number): Promise<ProjectLine[]> {
    if (positions.length === 0) return [];
    const { rows } = await sql<LineRow & { project_id: string }>`
      select w.id as project_id, e.number, e.domain_id, e.type, e.from_state, e.to_state, e.detail, e.at, e.api_key_id,
        ${actorColumns}
      from unnest(
        ${positions.map(({ projectId }) => projectId)}::uuid[], ${positions.map(({ after }) => after)}::bigint[]
      ) as w (id, after)
      cross join lateral (
        select * from project_events e where e.project_id = w.id and e.number > w.after order by e.number limit ${limit}
      ) as e
      left join api_keys k on k.id = e.api_key_id left join people p on p.api_key_id = k.id
      order by w.id, e.number`.execute(this.db);
    return rows.map((row) => ({ ...lineOf(row), projectId: row.project_id }));
  }
}

/** A position in the history of a project: after the line with a number. */
export interface HistoryPosition {
  readonly projectId: string;
  readonly after: bigint;
}

export interface ProjectLine extends HistoryLine {
  readonly projectId: string;
}

const newLineColumns = {
  projectId: 'uuid',
  domainId: 'uuid',
  type: 'text',
  from: 'text',
  to: 'text',
  detail: 'text',
  apiKeyId: 'uuid',
  at: 'timestamptz',
  index: 'integer',
} as const;

/** A person’s key is never shown. Its row, and with it the name in the history, is deleted 90 days after the person was removed. */
const actorColumns = sql`p.id as person_id, case when p.id is null then k.display else coalesce(p.name, p.email) end as display`;

type LineRow = Omit<Selectable<DomainEventTable>, 'project_id'> & {
  readonly person_id: string | null;
  readonly display: string | null;
};

function lineOf(row: LineRow): HistoryLine {
  return {
    id: row.number,
    entry: {
      number: Number(row.number),
      domainId: row.domain_id,
      type: row.type,
      from: row.from_state,
      to: row.to_state,
      actor: actorOf(row),
      detail: row.detail,
      at: row.at.toISOString(),
    },
  };
}

function actorOf({ api_key_id: keyId, person_id: personId, display }: LineRow): HistoryLine['entry']['actor'] {
  if (personId !== null) return { kind: 'person', id: personId, display };
  return { kind: keyId === null ? 'system' : 'api_key', id: keyId, display };
}
