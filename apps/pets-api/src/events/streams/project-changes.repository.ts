import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** A position in the events of a project: in its history, and in its changes without a line of history. */
export interface ProjectPosition {
  readonly projectId: string;
  readonly eventNumber: bigint;
  readonly changeNumber: bigint;
}

/** A domain, an import or an origin that has changed. */
export interface ChangedResource {
  readonly projectId: string;
  readonly kind: 'domain' | 'import' | 'origin';
  readonly id: string;
  readonly changeNumber: bigint;
}

/** Reads positions and changes. Both numbers are assigned under the project's lock, so that they commit in order. */
@Injectable()
export class ProjectChangesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The current position of a project. @throws Error when there is none */
  async getPosition(projectId: string): Promise<ProjectPosition> {
    return this.db
      .selectFrom('projects')
      .select(['id as projectId', 'event_number as eventNumber', 'change_number as changeNumber'])
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
  }

  /** The current positions of those of some projects that have advanced. */
  async findAdvanced(positions: readonly ProjectPosition[]): Promise<ProjectPosition[]> {
    const { rows } = await sql<ProjectPosition>`
      select p.id as "projectId", p.event_number as "eventNumber", p.change_number as "changeNumber"
      from ${listed(positions)} join projects p on p.id = w.id
      where p.event_number > w.event_number or p.change_number > w.change_number`.execute(this.db);
    return rows;
  }

  /** Domains, imports and origins of some projects with a later change that has no line of history. */
  async listChanged(positions: readonly ProjectPosition[]): Promise<ChangedResource[]> {
    if (positions.length === 0) return [];
    const { rows } = await changedStatement(positions).execute(this.db);
    return rows;
  }
}

/** Reads what has changed alone, however many domains the projects have; a test checks its plan. */
export function changedStatement(positions: readonly ProjectPosition[]): RawBuilder<ChangedResource> {
  return sql<ChangedResource>`
    with w as materialized (select * from ${listed(positions)})
    select d.project_id as "projectId", 'domain' as kind, d.domain_id as id, d.number as "changeNumber"
    from w join domain_changes d on d.project_id = w.id and d.number > w.change_number
    union all
    select i.project_id, 'import', i.id, i.change_number
    from w join domain_imports i on i.project_id = w.id and i.change_number > w.change_number
    union all
    select h.project_id, 'origin', h.origin_id, h.change_number
    from w join origin_health h on h.project_id = w.id and h.change_number > w.change_number
    order by 1, 4`;
}

function listed(positions: readonly ProjectPosition[]) {
  return sql`unnest(
    ${positions.map(({ projectId }) => projectId)}::uuid[], ${positions.map(({ eventNumber }) => eventNumber)}::bigint[],
    ${positions.map(({ changeNumber }) => changeNumber)}::bigint[]
  ) as w (id, event_number, change_number)`;
}
