import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { knownCaLimits } from '@pets/domains';
import { openDatabase, type Database, type Tx } from '@pets/persistence';
import { parseKeyRing } from '@pets/platform';
import type { TestPostgres } from '@pets/testing';
import { sql } from 'kysely';
import { fullAtStatement, repeatedNamesStatement } from '../../src/certificates/ca-usage.repository.js';
import { CertificateObjectsRepository } from '../../src/certificates/certificate-objects.repository.js';
import { CertificatesRepository } from '../../src/certificates/certificates.repository.js';
import { OwnCertificatesRepository } from '../../src/certificates/own/own-certificates.repository.js';
import { RevocationChecksRepository } from '../../src/certificates/own/revocation-checks.repository.js';
import { unissuedStatement, unusedPageStatement } from '../../src/certificates/certificates.sweeper.js';
import {
  certificatesPageStatement,
  newestIssueStatement,
} from '../../src/operations/monitoring/certificate-readings.js';
import { domainCountsStatement } from '../../src/operations/monitoring/readings.repository.js';
import { endedUploads } from '../../src/operations/retention/retention-rules.js';
import { keyIdsStatement } from '../../src/platform/encryption-keys/encrypted-columns.repository.js';
import { checkKeys } from '../../src/platform/encryption-keys/key-check.js';
import { letsEncrypt } from '../certificates/certificate-steps.js';
import { startMigratedPostgres } from '../migrated-postgres.js';
import { explainScans, plansOf, rowsRead, type PlanNode } from '../query-plan.js';

const DOMAINS = 20_000;
const REPLACED = 300;
const REMOVED = 200;
const NEW_ORDERS = 100;

type Sweep = (uploads: OwnCertificatesRepository, now: Date, tx: Tx) => Promise<unknown>;

let postgres: TestPostgres;
let db: Database;

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  // A busy machine may take its time to make so many rows.
  db = openDatabase({ url: postgres.url, onConnectionError: () => undefined, abortUnresponsive: false });
  await db.transaction().execute(async (tx) => {
    await sql`set local statement_timeout = 0`.execute(tx);
    for (const statement of seed) await sql.raw(statement).execute(tx);
  });
  await sql.raw('vacuum analyze').execute(db);
});
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
});

const yesterday = new Date(Date.now() - 24 * 3_600_000);

function expectScans(scans: readonly PlanNode[], indexes: readonly string[], maxRows: number): void {
  const tables = scans.filter((scan) => ['certificates', 'domains'].includes(scan['Relation Name'] ?? ''));
  expect(tables.map((scan) => scan['Index Name']).toSorted()).toEqual(indexes.toSorted());
  for (const scan of tables) expect(rowsRead(scan)).toBeLessThanOrEqual(maxRows);
}

describe('however many certificates there are', () => {
  it('a page of the certificates in use reads two indexes, no row, and its own domains alone', async () => {
    const scans = await explainScans(db, certificatesPageStatement('00000000-0000-0000-0000-000000000000', 500));
    expectScans(scans, ['certificates_newest_end', 'domains_served'], 500);
    const { rows } = await certificatesPageStatement('00000000-0000-0000-0000-000000000000', 500).execute(db);
    expect(rows).toMatchObject([{ count: 500, next: expect.any(String) }]);
  });

  it('the newest certificate is the end of an index, and before the first success it is the first attempt', async () => {
    expectScans(await explainScans(db, newestIssueStatement), ['certificates_by_end', 'certificates_by_issue'], 1);
    await db
      .transaction()
      .execute(async (tx) => {
        await sql`delete from certificates`.execute(tx);
        expect((await newestIssueStatement.execute(tx)).rows).toEqual([{ seconds: null }]);
        throw new Error('undo');
      })
      .catch((error: Error) => expect(error.message).toBe('undo'));
  });

  it('domains are counted in their index alone', async () => {
    const scans = await explainScans(db, domainCountsStatement);
    expect(scans.map((scan) => [scan['Node Type'], scan['Index Name']])).toEqual([
      ['Index Only Scan', 'domains_by_state'],
    ]);
    const { rows } = await domainCountsStatement.execute(db);
    expect(rows).toEqual([{ state: 'live', misconfigured: false, alert: null, count: DOMAINS - REMOVED }]);
  });

  it('keys of attempts that failed are read by their own index', async () => {
    expectScans(await explainScans(db, unissuedStatement(yesterday, 500)), ['certificates_unissued_keys'], 0);
  });

  it.each([
    ['replaced', 'certificates_by_issue', 500, REPLACED],
    ['removed', 'domains_by_removal', REMOVED, REMOVED],
  ] as const)('keys of %s certificates are read by time', async (source, index, maxRows, found) => {
    const start = new Date(Date.now() - 48 * 3_600_000).toISOString();
    const statement = unusedPageStatement(source, start, yesterday, 500);
    expectScans(await explainScans(db, statement), [index, 'certificates_issued_keys'], maxRows);
    const { rows } = await statement.execute(db);
    expect(rows).toMatchObject([{ read: found, readUntil: expect.any(String) }]);
    expect(rows[0]?.keys).toHaveLength(found);
  });

  it.each([
    ['those that are due', (uploads, now) => uploads.listDueSteps(now, 100)],
    ['those of removed domains', (uploads, now) => uploads.endOfRemoved(now, 100)],
    ['ended ones with a key', (uploads, now) => uploads.deleteKeys(now, 100)],
    ['ended ones without a key', (_uploads, before, tx) => endedUploads.clear(tx, { before, after: null, limit: 100 })],
    ['the due checks', (_uploads, _now, tx) => new RevocationChecksRepository(tx).claimDue(100)],
    ['the uploads of one domain', (uploads) => uploads.listShown(randomUUID())],
    ['both certificates of one', (_uploads, _now, tx) => new CertificatesRepository(tx).findCurrent([randomUUID()])],
    ['missing objects', (_uploads, _now, tx) => new CertificateObjectsRepository(tx).leaseLeft(100)],
    ['unused objects', (_uploads, _now, tx) => new CertificateObjectsRepository(tx).leaseUnused(100)],
  ] as const satisfies readonly (readonly [string, Sweep])[])(
    'certificates with nothing to do are not read: %s',
    async (_name, sweep: Sweep) => {
      const plans = await plansOf(db, (tx) => sweep(new OwnCertificatesRepository(tx), new Date(), tx));
      expect(plans.flat().length).toBeGreaterThan(0);
      for (const scan of plans.flat())
        if (scan['Relation Name'] === 'certificates')
          expect([scan['Node Type'], rowsRead(scan)]).toEqual([expect.not.stringContaining('Seq'), 0]);
    },
  );

  it('the limit of new orders reads new orders, and no renewal', async () => {
    const limit = knownCaLimits(letsEncrypt).find(({ kind }) => kind === 'orders');
    if (limit === undefined) throw new Error('there is no such limit');
    const statement = fullAtStatement(letsEncrypt, limit, new Date());
    expectScans(await explainScans(db, statement), ['certificates_new_orders'], NEW_ORDERS);
  });

  it('the highest use of a name reads names that were repeated', async () => {
    const statement = repeatedNamesStatement(letsEncrypt, new Date(Date.now() - 7 * 24 * 3_600_000));
    const scans = await explainScans(db, statement);
    const indexes = scans.flatMap((scan) => scan['Index Name'] ?? []);
    expect(indexes).toEqual(expect.arrayContaining(['certificates_repeated_names', 'certificates_by_name']));
    for (const scan of scans) expect(rowsRead(scan)).toBeLessThanOrEqual(50);
    expect((await statement.execute(db)).rows).toEqual([{ used: 2 }]);
  });

  it('a new key-encryption key is accepted after a look at one row of each key', async () => {
    const scans = await explainScans(db, keyIdsStatement('certificates'));
    expect(scans.map((scan) => scan['Index Name'])).toContain('certificates_by_encryption_key');
    for (const scan of scans) expect(rowsRead(scan)).toBeLessThanOrEqual(2);
    const ring = parseKeyRing(`new:${Buffer.alloc(32, 8).toString('base64')}`);
    expect(await checkKeys(db, ring)).toEqual([{ keyId: 'test', kind: 'missing' }]);
  });
});

/** Most certificates were renewed two hours ago, a few were replaced or removed yesterday, and a few are first orders. Of each domain one before has no key any more. */
const seed = [
  `with organization as (insert into organizations (name, plan) values ('Many', 'pro') returning id)
  insert into projects (organization_id, name, slug) select id, 'Many', 'many' from organization`,
  `insert into domain_claims (organization_id, name, target_token, ownership_token)
  select organization_id, 'd' || n || '.example.com', 't' || n, 't' || n from projects, generate_series(1, ${DOMAINS}) n`,
  `insert into domains
    (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at, state, removed_at)
  select p.organization_id, p.id, 'd' || n || '.example.com', '', 'example.com', now(), now(),
    case when n <= ${REMOVED} then 'removed' else 'live' end,
    case when n <= ${REMOVED} then now() - interval '25 hours' end
  from projects p, generate_series(1, ${DOMAINS}) n`,
  `insert into certificates
    (origin, domain_id, organization_id, name, apex_name, generation, attempt, state, directory_url, account_thumbprint, csr_pem,
     sealed_key, ordered, is_renewal, name_uses, created_at, issued_at, not_after, has_object, object_written_at)
  select 'ordered', d.id, d.organization_id, d.name, d.apex_name, 1, a.attempt, 'issued', '${letsEncrypt}', '', repeat('c', a.key),
    case when a.key > 0 then '1.test.' || repeat('k', a.key) else '' end, true, d.n <= ${DOMAINS - NEW_ORDERS},
    case when d.n > ${REMOVED} and d.n <= ${REMOVED + REPLACED} then a.attempt else 1 end,
    a.at, a.at, a.at + interval '90 days', a.key > 0, case when a.key > 0 then a.at end
  from (select *, substring(name, '[0-9]+')::integer as n from domains) d cross join lateral (
    select 0 as attempt, now() - interval '200 hours' as at, 0 as key
    union all select 1, now() - interval '50 hours', 400 where d.n <= ${REMOVED + REPLACED}
    union all select 2, now() - interval '26 hours', 400 where d.n > ${REMOVED} and d.n <= ${REMOVED + REPLACED}
    union all select 2, now() - interval '2 hours', 400 where d.n > ${REMOVED + REPLACED}
  ) a`,
];
