import type { Database } from '@pets/persistence';
import { sql } from 'kysely';

/** Writes lines of history as the service does: numbered under the project's lock, in one transaction, with a wake-up. */
export async function addLines(
  db: Database,
  { projectId, domainId }: { readonly projectId: string; readonly domainId: string },
  count: number,
  detail = 'x',
): Promise<void> {
  await sql`
    with numbered as (
      update projects set event_number = event_number + ${count} where id = ${projectId}
      returning event_number - ${count} as before
    ), inserted as (
      insert into project_events (project_id, number, domain_id, type, from_state, to_state, detail, at)
      select ${projectId}, before + nth, ${domainId}, 'dns.checked', 'awaiting_dns', 'awaiting_dns', ${detail}, now()
      from numbered, generate_series(1, ${count}::integer) nth
    )
    select pg_notify('project_events', '')`.execute(db);
}
