import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from '@pets/persistence';
import { openDatabase } from '@pets/persistence';
import type { TestPostgres } from '@pets/testing';
import { sql } from 'kysely';
import {
  AuditEventsRepository,
  auditPageQuery,
  type AuditFilters,
} from '../../src/access/audit/audit-events.repository.js';
import { pageStatement } from '../../src/http/paging/keyset.js';
import { startMigratedPostgres } from '../migrated-postgres.js';
import { blocksRead, explainScans, plansOf, rowsRead } from '../query-plan.js';

const EVENTS = 20_000;
const LIMIT = 20;
/** Rows that a page reads for a filter without an index. */
const SCANNED = 1_000;

const [organizationId, actorId, subjectId] = [randomUUID(), randomUUID(), randomUUID()];
/** The actor of the older half of the events. */
const formerActorId = randomUUID();

let postgres: TestPostgres;
let db: Database;

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  db = openDatabase({ url: postgres.url, onConnectionError: () => undefined, abortUnresponsive: false });
  await sql`insert into organizations (id, name, plan) values (${organizationId}, 'Acme', 'pro')`.execute(db);
  // The oldest are what the filters find: in the order of all, everything would be read to find them.
  await sql`
    insert into audit_events (organization_id, type, actor_kind, actor_id, subject_kind, subject_id, detail)
    select ${organizationId},
      case when n <= 50 then 'api_key.created' when n <= ${EVENTS / 2}::integer then 'domain.added' else 'domain.changed' end,
      'api_key',
      case when n <= 50 then ${actorId}::uuid when n <= ${EVENTS / 2}::integer then ${formerActorId} else gen_random_uuid() end,
      'domain', case when n <= 50 then ${subjectId}::uuid else gen_random_uuid() end, '{"name": "docs.example.com"}'
    from generate_series(1, ${EVENTS}::integer) n`.execute(db);
  await sql.raw('vacuum analyze').execute(db);
});
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
});

describe('however many events there are, a page', () => {
  it.each<[name: string, filters: AuditFilters, index: string, rows: number]>([
    ['of all', {}, 'audit_events_pkey', LIMIT + 1],
    ['of one kind', { type: 'api_key.created' }, 'audit_events_by_type', LIMIT + 1],
    ['by one actor', { actorId }, 'audit_events_by_actor', LIMIT + 1],
    ['of one resource', { subjectId }, 'audit_events_by_subject', LIMIT + 1],
    ['of a frequent kind of long ago', { type: 'domain.added' }, 'audit_events_by_type', LIMIT + 1],
    ['by a busy actor of long ago', { actorId: formerActorId }, 'audit_events_by_actor', LIMIT + 1],
    ['with all filters', { subjectId, actorId, type: 'api_key.created' }, 'audit_events_by_subject', 50],
    ['that finds nothing', { actorId: formerActorId, type: 'person.added' }, 'audit_events_by_actor', SCANNED],
  ])('%s reads one index, and what it shows', async (_name, filters, index, rows) => {
    const query = auditPageQuery(organizationId, filters);
    for (const afterId of ['0', String(EVENTS / 4), '30']) {
      const scans = await explainScans(db, pageStatement(query, { limit: LIMIT, afterId }));
      const [scan, ...others] = scans.filter((each) => each['Relation Name'] === 'audit_events');
      expect([scan?.['Index Name'], others]).toEqual([index, []]);
      expect(rowsRead(scan)).toBeLessThanOrEqual(rows);
      expect(blocksRead(scan)).toBeLessThanOrEqual(rows + 5);
    }
  });

  it('reads the rows that it shows by their key', async () => {
    const [, rows = []] = await plansOf(db, (tx) =>
      new AuditEventsRepository(tx).findPage(organizationId, {}, { limit: LIMIT, afterId: '0' }),
    );
    const [scan] = rows.filter((each) => each['Relation Name'] === 'audit_events');
    expect(scan?.['Index Name']).toBe('audit_events_pkey');
  });
});
