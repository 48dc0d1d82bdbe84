import type { WebhookEventType } from '@pets/contracts';

/** What has been created. */
export interface Creation {
  readonly type: WebhookEventType;
  /** Where it has been inserted. The table has `organization_id`, `id` and `created_at`. */
  readonly table: string;
  /** SQL: the resource as the API shows it, JSON text, from the columns of the table. */
  readonly json: string;
}

/**
 * SQL for the `returning` of an insertion: tells the endpoints that want to be told, by the statement that creates what
 * they are told of. There is a delivery exactly if there is the fact, and no round trip more. Where nobody wants to be
 * told it costs a look into an index. The column is null or empty, and of no use.
 *
 * Nothing a client gives stands in this text.
 */
export function enqueueDeliveries({ type, table, json }: Creation): string {
  return `
    case when exists (
      select from webhook_endpoints e
      where e.organization_id = ${table}.organization_id and e.enabled and e.project_id is null
        and '${type}' = any(e.event_types)
    ) then tell_endpoints(organization_id, '${type}', id::text, created_at, ${json}) end as told`;
}
