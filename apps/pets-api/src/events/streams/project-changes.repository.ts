import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

/** A position in the events of a project: in its history, and in its changes without a line of history. */
export interface ProjectPlace {
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
  async placeOf(projectId: string): Promise<ProjectPlace> {
    return this.db
      .selectFrom('projects')
      .select(['id as projectId', 'event_number as eventNumber', 'change_number as changeNumber'])
      .where('id', '=', projectId)
      .executeTakeFirstOrThrow();
  }

  /** The current positions of those of some projects that have advanced. */
  async findAdvanced(places: readonly ProjectPlace[]): Promise<ProjectPlace[]> {
    const { rows } = await sql<ProjectPlace>`
      select p.id as "projectId", p.event_number as "eventNumber", p.change_number as "changeNumber"
      from ${listed(places)} join projects p on p.id = w.id
      where p.event_number > w.event_number or p.change_number > w.change_number`.execute(this.db);
    return rows;
  }

  /** Domains of some projects with a later change that has no line of history. */
  async listChanged(places: readonly ProjectPlace[]): Promise<ChangedDomain[]> {
    if (places.length === 0) return [];
    const { rows } = await sql<ChangedDomain>`
      select d.project_id as "projectId", d.id as "domainId", d.change_number as "changeNumber"
      from ${listed(places)} join domains d on d.project_id = w.id and d.change_number > w.change_number
      order by d.project_id, d.change_number`.execute(this.db);
    return rows;
  }
}

function listed(places: readonly ProjectPlace[]) {
  return sql`unnest(
    ${places.map(({ projectId }) => projectId)}::uuid[], ${places.map(({ eventNumber }) => eventNumber)}::bigint[],
    ${places.map(({ changeNumber }) => changeNumber)}::bigint[]
  ) as w (id, event_number, change_number)`;
}
