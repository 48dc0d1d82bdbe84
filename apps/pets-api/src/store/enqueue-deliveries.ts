import type { WebhookEventType } from '@pets/contracts';

export interface Creation {
  readonly type: WebhookEventType;
  /** The table of the insertion. It has `organization_id`, `id` and `created_at`. */
  readonly table: string;
  /** SQL: the resource as the API shows it, JSON text. */
  readonly json: string;
}

/**
 * SQL for the `returning` of an insertion: adds the deliveries of the new resource in the same statement, so that they
 * exist exactly if the resource does, without another round trip. Without a subscription it costs two index scans.
 * The value of the column has no meaning. The text contains no input of clients.
 */
export function enqueueDeliveries({ type, table, json }: Creation): string {
  return `
    case when exists (
      select from webhook_subscriptions e
      where e.organization_id = ${table}.organization_id and e.project_id is null
        and '${type}' = any(e.event_types)
    ) then enqueue_deliveries(organization_id, '{}', '${type}', id::text, 1, created_at, ${json}) end as enqueued`;
}
