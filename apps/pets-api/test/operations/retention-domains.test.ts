import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '@pets/persistence';
import type { TestPostgres } from '@pets/testing';
import { sql } from 'kysely';
import { DomainListsRepository } from '../../src/domains/domain-lists.repository.js';
import { DomainsRepository } from '../../src/names/domains.repository.js';
import { BEFORE_ALL } from '../../src/http/paging/pages.js';
import { oldCertificates } from '../../src/operations/retention/retention-rule.js';
import { releasedClaims, removedDomains } from '../../src/operations/retention/retention-rules.js';
import { startMigratedPostgres } from '../migrated-postgres.js';
import { plansOf, rowsRead } from '../query-plan.js';
import { runRetention } from './retention-fixture.js';

const MANY = 3_000;
const KEPT = 25;
const LIMIT = 100;

let postgres: TestPostgres;
let db: Database;
let projectId: string;
let organizationId: string;

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  db = openDatabase({ url: postgres.url, poolSize: 4, onConnectionError: () => undefined, abortUnresponsive: false });
  for (const statement of seed) await sql.raw(statement).execute(db);
  await sql.raw('vacuum analyze').execute(db);
  ({ id: projectId, organization_id: organizationId } = await db
    .selectFrom('projects')
    .select(['id', 'organization_id'])
    .executeTakeFirstOrThrow());
});
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
});

/** Returns the names in the seed of the domains that are left. */
async function labelsOf(): Promise<string[]> {
  const rows = await db.selectFrom('domains').select('name').execute();
  return [...new Set(rows.map(({ name }) => name.replace(/(-\d+)?\.example\.com$/, '')))].toSorted();
}

/** The attempts of a domain whose rows are left; null for an upload. */
async function attemptsOf(label: string): Promise<(number | null)[]> {
  const { rows } = await sql<{ attempt: number | null }>`
    select c.attempt from certificates c join domains d on d.id = c.domain_id
    where d.name = ${`${label}.example.com`} order by c.attempt`.execute(db);
  return rows.map(({ attempt }) => attempt);
}

describe('however many rows there are', () => {
  it.each([
    ['certificates_by_end', oldCertificates, 30],
    ['domains_removed', removedDomains, 180],
    ['domain_claims_released', releasedClaims, 400],
  ] as const)('a batch reads %s, and no more rows than its own', async (index, rule, days) => {
    const before = new Date(Date.now() - days * 86_400_000);
    const plans = await plansOf(db, async (tx) => {
      const first = await rule.clear(tx, { before, after: null, limit: LIMIT });
      await rule.clear(tx, { before, after: first.next, limit: LIMIT });
      await rule.findOldest(tx);
    });
    const scans = plans.flat();
    expect(scans.map((scan) => scan['Index Name'])).toContain(index);
    for (const scan of scans) {
      // Of a table with few rows here it may read all.
      expect([scan, rowsRead(scan) <= 2 * LIMIT + 1]).toEqual([scan, true]);
    }
  });

  it('the domains of a project are read without the removed ones, and one of them by its name', async () => {
    const repository = new DomainsRepository(db);
    const [list = []] = await plansOf(db, (tx) =>
      new DomainListsRepository(tx).findPage({ organizationId, projectId }, {}, { limit: KEPT, afterId: BEFORE_ALL }),
    );
    expect(list.map((scan) => scan['Index Name'])).toContain('domains_kept');
    const [one = []] = await plansOf(db, (tx) => repository.get(projectId, 'kept-7.example.com', tx));
    expect(one.map((scan) => scan['Index Name'])).toContain('domains_by_claim');
    for (const scan of [...list, ...one]) expect([scan, rowsRead(scan) <= KEPT + 10]).toEqual([scan, true]);
  });
});

describe('old rows of domains', () => {
  it('are deleted once nothing needs them', async () => {
    expect(await runRetention(db)).toMatchObject({
      certificates: MANY + 3,
      uploaded_certificates: 2,
      domains: MANY + 3,
      domain_claims: 0,
    });
    const left = ['again', 'alone', 'attempts', 'kept', 'key', 'moved', 'object', 'replaced', 'revoked'];
    expect(await labelsOf()).toEqual([...left, 'revoked-live', 'serving', 'upload', 'uploadkey', 'young']);
    expect([await attemptsOf('upload'), await attemptsOf('uploadkey')]).toEqual([[], [null]]);
    expect(await attemptsOf('replaced-1')).toEqual([2]);
    expect(await attemptsOf('alone-1')).toEqual([1]);
    // Of the other CA: that one treats the next order as a renewal.
    expect(await attemptsOf('moved')).toEqual([1, 3]);
    expect(await attemptsOf('attempts')).toEqual([3, 4, 5]);
    expect(await attemptsOf('revoked-live')).toEqual([1, 2]);
    expect(await runRetention(db)).toMatchObject({ certificates: 0, domains: 0, domain_claims: 0 });
  });

  it('end with their claim, unless the name was added again', async () => {
    const claim = { name: 'gone.example.com', targetToken: 'new', ownershipToken: 'new' };
    await db.transaction().execute((tx) => new DomainsRepository(db).claimAll(tx, organizationId, [claim]));
    expect(await runRetention(db, { days: 399 })).toMatchObject({ domain_claims: 0 });
    // Also of `young` and `revoked`, which end in these days.
    expect(await runRetention(db, { days: 401 })).toMatchObject({ domain_claims: MANY + 3 });
    const { rows } = await sql`
      select target_token from domain_claims where name ~ '^(free|gone|again)' order by name`.execute(db);
    expect(rows).toEqual([{ target_token: 'again' }, { target_token: 'gone' }]);
  });
});

interface SeedDomain {
  readonly project?: 'old' | 'many';
  readonly count?: number;
  /** Null for a live one. */
  readonly removedDaysAgo?: number | null;
  readonly isStopped?: boolean;
}

/** Domains `<label>-1.example.com` and so on, or a single one. */
const domains = (
  label: string,
  { project = 'old', count = 1, removedDaysAgo = null, isStopped = true }: SeedDomain,
) => {
  const name = count === 1 ? `'${label}.example.com'` : `'${label}-' || n || '.example.com'`;
  const removed = removedDaysAgo === null ? 'null' : `now() - interval '${removedDaysAgo} days' - n * interval '1 s'`;
  return [
    `insert into domain_claims (organization_id, name, target_token, ownership_token)
    select organization_id, ${name}, split_part(${name}, '.', 1), 't' from projects, generate_series(1, ${count}) n
    where slug = '${project}' on conflict do nothing`,
    `insert into domains (organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at,
      state, removed_at, removed_version, traffic_stopped_at)
    select organization_id, id, ${name}, '', 'example.com', now(), now(),
      '${removedDaysAgo === null ? 'live' : 'removed'}', ${removed}, 1, ${isStopped ? 'now()' : 'null'}
    from projects, generate_series(1, ${count}) n where slug = '${project}'`,
    `insert into domain_work (domain_id, kind, organization_id, priority) select id, 'dns', organization_id, 3 from domains
      on conflict do nothing`,
  ];
};

interface SeedCertificate {
  readonly endedDaysAgo: number;
  readonly state?: 'issued' | 'failed';
  readonly ca?: string;
  readonly csr?: string;
  readonly hasObject?: boolean;
}

/** The certificates of the domains with a label, in the order of their attempts. */
const certificates = (label: string, ...attempts: readonly SeedCertificate[]) =>
  attempts.map(
    ({ endedDaysAgo, state = 'issued', ca = 'ca', csr = '', hasObject = false }, index) =>
      `insert into certificates (origin, domain_id, organization_id, name, apex_name, generation, attempt, state, directory_url,
        account_thumbprint, csr_pem, sealed_key, created_at, issued_at, not_after, has_object)
      select 'ordered', id, organization_id, name, apex_name, 1, ${index + 1}, '${state}', '${ca}', '', '${csr}', '',
        now() - interval '${endedDaysAgo + (state === 'issued' ? 90 : 0)} days',
        ${state === 'issued' ? `now() - interval '${endedDaysAgo + 90} days'` : 'null'},
        ${state === 'issued' ? `now() - interval '${endedDaysAgo} days'` : 'null'}, ${hasObject}
      from domains where name ~ '^${label}(-[0-9]+)?[.]'`,
  );

/** An upload of the domain with a label that ended long ago. @param key '' once it was deleted */
const upload = (label: string, key: string) =>
  `insert into certificates (origin, domain_id, organization_id, state, sealed_key, chain_pem, leaf_sha256, issuer, not_before,
    not_after, created_at, is_renewal, is_preferred, trust, serial_number, names, crl_urls, check_attempt,
    check_failures, ended_at)
  select 'uploaded', id, organization_id, 'removed', '${key}', '', '', '', at, at, at, null, true, 'public', '', '{}',
    '{}', 0, 0, at
  from domains, (select now() - interval '300 days' as at) t where name ~ '^${label}[.]'`;

const failed = (endedDaysAgo: number) => ({ endedDaysAgo, state: 'failed' }) as const;
const removed = { removedDaysAgo: 200 };

const seed = [
  `insert into organizations (name, plan) values ('Old', 'pro')`,
  `insert into projects (organization_id, name, slug) select id, slug, slug from organizations, unnest(array['old', 'many']) slug`,
  ...domains('kept', { count: KEPT }),
  ...domains('free', { count: MANY, ...removed }),
  ...domains('replaced', { count: MANY, project: 'many' }),
  ...certificates('replaced', { endedDaysAgo: 100 }, { endedDaysAgo: -80 }),
  // Not replaced, and the oldest: a pass has to read past them.
  ...domains('alone', { count: 2 * LIMIT, project: 'many' }),
  ...certificates('alone', { endedDaysAgo: 300 }),
  ...domains('moved', { project: 'many' }),
  ...certificates(
    'moved',
    { endedDaysAgo: 100 },
    { endedDaysAgo: 90, ca: 'other' },
    { endedDaysAgo: -80, ca: 'other' },
  ),
  ...domains('attempts', { project: 'many' }),
  ...certificates('attempts', failed(40), failed(39), { ...failed(38), csr: 'key' }, failed(29), failed(1)),
  ...domains('revoked-live', { project: 'many' }),
  ...certificates('revoked-live', { endedDaysAgo: 100 }, { endedDaysAgo: -80 }),
  ...domains('young', { removedDaysAgo: 100 }),
  ...domains('serving', { ...removed, isStopped: false }),
  ...domains('key', removed),
  ...certificates('key', { endedDaysAgo: 100, csr: 'key' }),
  ...domains('object', removed),
  ...certificates('object', { endedDaysAgo: 100, hasObject: true }),
  ...domains('revoked', removed),
  ...certificates('revoked', { endedDaysAgo: 20 }),
  `insert into certificate_revocations
    (certificate_id, domain_id, directory_url, account_thumbprint, chain_pem, reason, requested_at, expires_at, due_at)
  select c.id, d.id, '', '', '', 'superseded', now(), now() - interval '20 days', now()
  from certificates c join domains d on d.id = c.domain_id and d.name ~ '^revoked' where c.attempt = 1`,
  ...domains('again', removed),
  ...domains('again', { project: 'many' }),
  // An upload stays as long as it has its key, and with it a removed domain.
  ...domains('upload', { project: 'many' }),
  upload('upload', ''),
  ...domains('uploadkey', removed),
  upload('uploadkey', 'key'),
  ...domains('uploadless', removed),
  upload('uploadless', ''),
  ...domains('gone', removed),
  ...certificates('gone', { endedDaysAgo: 5 }),
];
