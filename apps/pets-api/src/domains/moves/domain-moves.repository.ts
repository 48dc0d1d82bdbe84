import { Injectable } from '@nestjs/common';
import type { Tx } from '@pets/persistence';
import { sql } from 'kysely';

/** Writes that only a move makes. The transaction holds the locks of both projects. */
@Injectable()
export class DomainMovesRepository {
  /**
   * Gives domains to another project. `change_number` counts changes of the project before; the line of history that
   * follows announces the domains to the readers of the other one.
   */
  async setProject(tx: Tx, ids: readonly string[], projectId: string): Promise<void> {
    await sql`
      update domains set project_id = ${projectId}, change_number = 0 where id = any(${ids})`.execute(tx);
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
