import { Injectable } from '@nestjs/common';
import type { Origin, WebhookEventType } from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { OriginHealthRepository } from './origin-health.repository.js';
import { presentOrigin, type OriginRow } from './origin-row.js';

export type OriginEventType = Extract<WebhookEventType, `origin.${string}`>;

/**
 * Tells endpoints and readers of the project's events what happened to an origin, in the transaction in which it happened and under
 * the lock of its project: an event exists exactly if the change does, and the numbers of events ascend.
 */
@Injectable()
export class OriginOccurrences {
  constructor(private readonly health: OriginHealthRepository) {}

  async present(row: OriginRow, db?: Database | Tx): Promise<Origin> {
    return presentOrigin(row, await this.health.find(row.id, db));
  }

  /** @returns the origin as the event shows it */
  async publish(tx: Tx, type: OriginEventType, row: OriginRow, at: Date): Promise<Origin> {
    const sequence = await this.health.nextEvent(tx, row.id, row.projectId);
    const origin = await this.present(row, tx);
    await sql`select enqueue_deliveries(
      ${row.organizationId}::uuid, array[${row.projectId}::uuid], ${type}, ${row.id}, ${sequence}, ${at}, ${JSON.stringify(origin)}
    )`.execute(tx);
    await notify(tx, 'project_events');
    return origin;
  }
}
