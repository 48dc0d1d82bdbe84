import { Injectable } from '@nestjs/common';
import type { Domain, WebhookEventType } from '@pets/contracts';
import { recordset, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import type { DomainOccurrence, OccurrencePublisher } from '../../lifecycle/domain-occurrences.js';

/** The events that an endpoint or a listener receives. */
interface Subscription {
  readonly organizationId: string;
  /** Null: all projects. */
  readonly projectId: string | null;
  readonly eventTypes: readonly WebhookEventType[];
}

/**
 * Records deliveries of domain events to subscribed endpoints and listeners, in the transaction of the event and under the lock of its
 * project: a delivery exists if and only if the event does, and their numbers ascend in the same order. Without subscribed
 * endpoints it costs one index lookup.
 */
@Injectable()
export class WebhookOccurrencePublisher implements OccurrencePublisher {
  async publish(
    tx: Tx,
    occurrences: readonly DomainOccurrence[],
    present: (domainIds: readonly string[]) => Promise<readonly Domain[]>,
  ): Promise<void> {
    if (occurrences.length === 0) return;
    const subscriptions = await findSubscriptions(tx, occurrences);
    const wanted = occurrences.filter((occurrence) =>
      subscriptions.some((subscription) => matches(subscription, occurrence)),
    );
    if (wanted.length === 0) return;
    const ids = [...new Set(wanted.map(({ domainId }) => domainId))];
    const shown = new Map((await present(ids)).map((domain) => [domain.id, domain]));
    await enqueueInOrder(
      tx,
      wanted.map((occurrence) => ({ ...occurrence, json: JSON.stringify(shown.get(occurrence.domainId)) })),
    );
  }
}

async function findSubscriptions(tx: Tx, occurrences: readonly DomainOccurrence[]): Promise<readonly Subscription[]> {
  return tx
    .selectFrom('webhook_subscriptions')
    .select(['organization_id as organizationId', 'project_id as projectId', 'event_types as eventTypes'])
    .where('organization_id', 'in', [...new Set(occurrences.map(({ organizationId }) => organizationId))])
    .execute();
}

function matches(
  subscription: Subscription,
  { type, organizationId, projectId, previousProjectId }: DomainOccurrence,
): boolean {
  return (
    subscription.organizationId === organizationId &&
    (subscription.projectId === null || [projectId, previousProjectId].includes(subscription.projectId)) &&
    subscription.eventTypes.includes(type)
  );
}

const occurrenceColumns = {
  index: 'integer',
  type: 'text',
  domainId: 'uuid',
  organizationId: 'uuid',
  projectId: 'uuid',
  previousProjectId: 'uuid',
  at: 'timestamptz',
  json: 'text',
} as const;

/** Numbers the events of each domain in the order given. Events that no endpoint receives get a number as well. */
async function enqueueInOrder(
  tx: Tx,
  occurrences: readonly (DomainOccurrence & { readonly json: string })[],
): Promise<void> {
  const given = occurrences.map((occurrence, index) => ({ ...occurrence, index }));
  await sql`
    with given as (
      select * from ${recordset('g', occurrenceColumns, given)}
    ), counted as (
      update domains d set event_sequence = d.event_sequence + g.count
      from (select "domainId", count(*) from given group by 1) g where d.id = g."domainId"
      returning d.id, d.event_sequence - g.count as before
    ), numbered as (
      select given.*, c.before + row_number() over (partition by c.id order by given.index) as sequence
      from given join counted c on c.id = given."domainId"
    )
    select enqueue_deliveries("organizationId", array["projectId", "previousProjectId"], type, "domainId"::text, sequence, at, json)
    from (select * from numbered order by index) in_order`.execute(tx);
}
