import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** A position in the events of a project: in its history, and in its changes without a line of history. */
export interface ProjectPosition {
  readonly projectId: string;
  readonly eventNumber: bigint;
  readonly changeNumber: bigint;
}

export interface ChangedDomain {
  readonly projectId: string;
  readonly domainId: string;
  readonly changeNumber: bigint;
}

/** Both numbers are assigned under the project's lock, so that they commit in order. */
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

  /** Domains of some projects with a later change that has no line of history. */
  async listChanged(positions: readonly ProjectPosition[]): Promise<ChangedDomain[]> {
    if (positions.length === 0) return [];
    const { rows } = await sql<ChangedDomain>`
      select d.project_id as "projectId", d.id as "domainId", d.change_number as "changeNumber"
      from ${listed(positions)} join domains d on d.project_id = w.id and d.change_number > w.change_number
      order by d.project_id, d.change_number`.execute(this.db);
    return rows;
  }
}

function listed(positions: readonly ProjectPosition[]) {
  return sql`unnest(
    ${positions.map(({ projectId }) => projectId)}::uuid[], ${positions.map(({ eventNumber }) => eventNumber)}::bigint[],
    ${positions.map(({ changeNumber }) => changeNumber)}::bigint[]
  ) as w (id, event_number, change_number)`;
}
