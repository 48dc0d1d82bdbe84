import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database, type Tx } from '@pets/persistence';
import { createLogger } from '@pets/platform';
import type { TestPostgres } from '@pets/testing';
import { sql } from 'kysely';
import { retentionRules } from '../../src/operations/retention/retention-rules.js';
import { startMigratedPostgres } from '../migrated-postgres.js';
import { plansOf, rowsRead } from '../query-plan.js';
import { createRetention, makeRetentionDue, retentionDefaults, runRetention } from './retention-fixture.js';

let postgres: TestPostgres;
let db: Database;
/** Rows of each table that are old enough, and as many that are not. */
const OLD = 2_000;
const KEYS = 1_000;

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  db = openDatabase({ url: postgres.url, poolSize: 4, onConnectionError: () => undefined, abortUnresponsive: false });
  await db.connection().execute(async (connection) => {
    // A busy machine takes longer than a statement of the API may.
    for (const statement of ['set statement_timeout = 0', ...seed, 'vacuum analyze', 'reset statement_timeout']) {
      await sql.raw(statement).execute(connection);
    }
  });
});
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
});

const DAY_MS = 86_400_000;
/** The others are tested in `retention-domains.test.ts`, `project-events.test.ts` and the tests of certificates. */
const ofDomains: ReadonlySet<string> = new Set([
  'certificates',
  'uploaded_certificates',
  'platform_certificates',
  'domains',
  'domain_claims',
  'project_events',
]);
const rules = retentionRules(retentionDefaults).filter(({ table }) => !ofDomains.has(table));

describe('however many rows there are', () => {
  it.each(rules.map((rule) => [rule.table, rule] as const))('old %s are found by an index', async (table, rule) => {
    const before = new Date(Date.now() - rule.keptMs);
    const plans = await plansOf(db, async (tx) => {
      const first = await rule.clear(tx, { before, after: null, limit: 100 });
      expect(first).toMatchObject({ deleted: 100, next: expect.any(String) });
      await rule.clear(tx, { before, after: first.next, limit: 100 });
      await rule.findOldest(tx);
    });
    expect(plans.length).toBeGreaterThanOrEqual(3);
    // A page of its own batch, and what an index still has of the batch before.
    for (const scan of plans.flat()) {
      expect([scan['Node Type'], rowsRead(scan) <= 201]).toEqual([expect.not.stringContaining('Seq'), true]);
      if (scan['Relation Name'] === table)
        expect(['Tid Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan']).toContain(scan['Node Type']);
    }
  });
});

describe('old rows', () => {
  it('are deleted by several processes at once, except locked ones, each row once', async () => {
    await makeRetentionDue(db);
    const processes = [createRetention(db), createRetention(db)];
    const lockOne = async (tx: Tx) => {
      // The transaction waits for the deletions, which take long on a busy machine.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      await sql`select from idempotent_answers order by expires_at limit 1 for update`.execute(tx);
      await Promise.all(processes.map(({ service }) => service.run()));
    };
    await db.transaction().execute(lockOne);
    const [one, other] = await Promise.all(processes.map(({ deleted }) => deleted()));
    const total = Object.fromEntries(rules.map(({ table }) => [table, (one?.[table] ?? 0) + (other?.[table] ?? 0)]));
    expect(total).toEqual(
      Object.fromEntries(rules.map(({ table }) => [table, table === 'idempotent_answers' ? OLD - 1 : OLD])),
    );
    expect(await runRetention(db)).toMatchObject({ idempotent_answers: 1, audit_events: 0 });
    for (const { table, findOldest, keptMs } of rules) {
      const oldest = await db.transaction().execute(findOldest);
      expect([table, (oldest?.getTime() ?? 0) >= Date.now() - keptMs - DAY_MS]).toEqual([table, true]);
    }
  });

  it('of one table are deleted although another one fails, whose task stays behind', async () => {
    const warnings: unknown[] = [];
    const log = Object.assign(createLogger('retention', 'silent'), {
      warn: (fields: unknown) => void warnings.push(fields),
    });
    const { service, deleted } = createRetention(db, { days: 3_000, log });
    await makeRetentionDue(db);
    await sql`update retention_tasks set completed_at = now() - interval '2 days'`.execute(db);
    await sql`alter table webhook_attempts rename to webhook_attempts_away`.execute(db);
    await sql`create rule refuse as on delete to webhook_deliveries do instead select 1 / 0`.execute(db);
    try {
      await service.run();
    } finally {
      await sql`drop rule refuse on webhook_deliveries`.execute(db);
      await sql`alter table webhook_attempts_away rename to webhook_attempts`.execute(db);
    }
    expect(await deleted()).toMatchObject({ audit_events: OLD, sessions: OLD });
    expect(warnings).toEqual([{ err: expect.any(Error), table: 'webhook_deliveries' }]);
    const { rows } = await sql<{ name: string }>`
      select name from retention_tasks where completed_at < now() - interval '1 day'`.execute(db);
    expect(rows).toEqual([{ name: 'webhook_deliveries' }]);
  });
});

/** Inserts rows with a time: as many that are old as that are new. */
const aged = (table: string, columns: string, from: string, kept: string) => `
  insert into ${table} (${columns})
  select ${from} from generate_series(1, ${2 * OLD}) n
  cross join lateral (select now() - interval '${kept}' - make_interval(secs => (${OLD} - n + 0.5) * 100) as at) t
  cross join (select id as organization from organizations) o
  cross join lateral (select md5((n % ${KEYS})::text)::uuid as key) k`;

const seed = [
  `insert into organizations (name, plan) values ('Old', 'pro')`,
  `insert into api_keys (id, organization_id, name, hash, display, scopes, created_by_kind)
  select md5(n::text)::uuid, id, 'valid', n::text::bytea, 'x', '{pets:read}', 'operator' from organizations, generate_series(0, ${KEYS - 1}) n`,
  aged('sessions', 'api_key_id, hash, expires_at', `key, sha256(n::text::bytea), at`, '0'),
  aged(
    'idempotent_answers',
    'api_key_id, path, key, fingerprint, answer, expires_at',
    `key, '/', n::text, '', '', at`,
    '0',
  ),
  aged(
    'api_keys',
    'organization_id, name, hash, display, scopes, created_by_kind, revoked_at',
    `organization, 'old', sha256(n::text::bytea), 'x', '{pets:read}', 'operator', at`,
    '90 days',
  ),
  aged(
    'people',
    'organization_id, issuer, subject, name, role, last_sign_in_at, removed_at, removed_by_claim',
    `organization, 'x', n::text, 'x', 'viewer', at, at, n % 2 = 0`,
    '400 days',
  ),
  aged(
    'invitations',
    'organization_id, name, role, hash, expires_at',
    `organization, 'x', 'viewer', sha256(n::text::bytea), at`,
    '0',
  ),
  aged(
    'audit_events',
    'organization_id, type, actor_kind, subject_kind, subject_id, detail, at',
    `organization, 'x', 'system', 'organization', organization, '{}', at`,
    '400 days',
  ),
  aged(
    'webhook_deliveries',
    'endpoint_id, type, subject_id, sequence, body, created_at',
    `gen_random_uuid(), 'x', 'x', 1, '{}', at`,
    '30 days',
  ),
  `insert into webhook_endpoints (organization_id, url, event_types) select id, 'https://x.example', '{pet.created}' from organizations`,
  aged(
    'webhook_statistics',
    'endpoint_id, hour, delivered, failed_attempts, failed, durations',
    `(select id from webhook_endpoints), at, 1, 0, 0, '{}'`,
    '8 days',
  ),
  aged('ca_pauses', 'directory_url, apex_name, paused_until, detail', `'x', n::text, at, 'x'`, '1 hour'),
  aged('webhook_secrets', 'endpoint_id, sealed, expires_at', `(select id from webhook_endpoints), 'x', at`, '0 days'),
  aged(
    'deprecated_calls',
    'operation, day, api_key_id, calls',
    `'x', to_char(at + sign(n - ${OLD} - 0.5) * interval '1 day', 'YYYY-MM-DD'), gen_random_uuid(), 1`,
    '400 days',
  ),
  `insert into projects (organization_id, name, slug) select id, 'Old', 'old' from organizations`,
  `insert into domain_claims (organization_id, name, target_token, ownership_token)
  select id, 'old.example.com', 't', 't' from organizations`,
  `insert into domains (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at)
  select organization_id, id, 'old.example.com', '', 'example.com', now(), now() from projects`,
  `insert into certificates (origin, domain_id, organization_id, name, apex_name, generation, attempt, directory_url,
    account_thumbprint, csr_pem, sealed_key)
  select 'ordered', id, organization_id, name, apex_name, 1, n, '', '', '', '' from domains, generate_series(1, ${2 * OLD}) n`,
  aged(
    'certificate_revocations',
    'certificate_id, domain_id, directory_url, account_thumbprint, chain_pem, reason, requested_at, expires_at, due_at',
    `(select id from certificates c where c.attempt = n), (select id from domains), '', '', '', 'superseded', at, at, at`,
    '30 days',
  ),
  aged(
    'domain_imports',
    'organization_id, project_id, action, format, api_key_id, requester, state, due_at, ended_at',
    `organization, (select id from projects), 'add', 'csv', key, '{}', 'finished', at, at`,
    '30 days',
  ),
  aged(
    'setup_links',
    'organization_id, project_id, domain_id, hash, expires_at',
    `organization, (select id from projects), (select id from domains), sha256(n::text::bytea), at`,
    '0',
  ),
  aged(
    'deployment_uploads',
    'organization_id, project_id, files_hash, held, allowed, ignored, expires_at',
    `organization, (select id from projects), 'ab', '', '{}', '{}', at`,
    '0',
  ),
  `insert into domain_import_pieces (import_id, number, lines) select id, 0, '[]' from domain_imports`,
  `insert into webhook_attempts (delivery_id, number, at, duration_ms) select id, 1, created_at, 1 from webhook_deliveries`,
];
