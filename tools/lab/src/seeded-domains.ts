import { randomUUID } from 'node:crypto';
import { waitUntil } from '@pets/testing/processes';
import pg from 'pg';
import type { Stack } from './stack.js';

/** Limit of a project. */
const DOMAINS_A_PROJECT = 50;

/** A domain to put into the tables, with the token its target is made of. */
export interface SeededDomain {
  readonly id: string;
  readonly name: string;
  readonly token: string;
  readonly projectId: string;
}

export type NamedDomain = Pick<SeededDomain, 'name' | 'token'>;

/**
 * Puts domains straight into the tables, as adding them would have left them, due at a moment: what adding costs over
 * HTTP is no part of the engine.
 */
export async function seedDomains(
  db: pg.Client | pg.Pool,
  organizationId: string,
  named: readonly NamedDomain[],
  dueAt: Date,
): Promise<readonly SeededDomain[]> {
  const projects = Array.from({ length: Math.ceil(named.length / DOMAINS_A_PROJECT) }, () => randomUUID());
  await db.query(
    `insert into projects (id, organization_id, name, slug) select id, $1, 'Engine', 'engine-' || id from unnest($2::uuid[]) id`,
    [organizationId, projects],
  );
  await db.query(
    `insert into deployments (project_id, state, content_hash, files_hash, files, bytes)
    select id, 'ready', 'engine', 'engine', 1, 1 from unnest($1::uuid[]) id`,
    [projects],
  );
  const domains = named.map((domain, index) => ({
    ...domain,
    id: randomUUID(),
    projectId: projects[Math.floor(index / DOMAINS_A_PROJECT)] ?? '',
  }));
  await db.query(insertAll, [organizationId, JSON.stringify(domains), dueAt]);
  await db.query('analyze domains, domain_claims, domain_work, projects, edge_routes');
  return domains;
}

const insertAll = `
  with given as (
    select * from jsonb_to_recordset($2::jsonb) as g (id uuid, name text, token text, "projectId" uuid)
  ), claims as (
    insert into domain_claims (organization_id, name, target_token, ownership_token)
    select $1, name, token, token from given
  ), added as (
    insert into domains (id, organization_id, project_id, name, unicode_name, apex_name, generation_began_at, requested_at)
    select id, $1, "projectId", name, name, 'example.com', now(), now() from given
  ), numbered as (
    update projects p set event_number = g.count
    from (select "projectId", count(*) from given group by 1) g where g."projectId" = p.id
  ), history as (
    insert into project_events (project_id, number, domain_id, type, from_state, to_state, detail, at)
    select "projectId", row_number() over (partition by "projectId"), id, 'owner.added', null, 'awaiting_dns', 'added', now()
    from given
  )
  insert into domain_work (domain_id, kind, organization_id, priority, due_at, requested_at)
  select id, 'dns', $1, 3, $3, now() from given`;

const LIMIT_MS = 600_000;

/**
 * Adds domains that come due at one moment, and waits until the engine has verified them all.
 * @param round part of their names, once for a stack
 * @param onDue called at the moment at which they come due
 * @returns milliseconds from due to the last domain verified
 */
export async function verifyDomains(
  { postgres, organizationId }: Pick<Stack, 'postgres' | 'organizationId'>,
  round: string,
  count: number,
  onDue: () => void = () => undefined,
): Promise<number> {
  const db = new pg.Client({ connectionString: postgres.url });
  await db.connect();
  try {
    const named = Array.from({ length: count }, (_, index) => {
      const id = `${round}x${index}`;
      return { name: `match-${id}.engine.example.com`, token: `t${id}` };
    });
    const dueAt = new Date(Date.now() + 3_000 + count / 2);
    await seedDomains(db, organizationId, named, dueAt);
    if (Date.now() > dueAt.getTime()) throw new Error('the domains were due before all of them were there');
    await db.query('vacuum analyze domain_work, domains');
    await waitUntil(() => Date.now() >= dueAt.getTime(), { timeoutMs: 60_000, message: 'the moment', intervalMs: 5 });
    onDue();
    await db.query(`select pg_notify('domain_work', '')`);
    const left = `select from domains where state = 'awaiting_dns' limit 1`;
    await waitUntil(async () => (await db.query(left)).rowCount === 0, {
      ...{ timeoutMs: LIMIT_MS, message: `${count} domains to be verified`, intervalMs: 200 },
    });
    const { rows } = await db.query<{ last: Date }>(
      `select max(verified_at) as last from domains where name like 'match-${round}x%'`,
    );
    return (rows[0]?.last.getTime() ?? Number.NaN) - dueAt.getTime();
  } finally {
    await db.end();
  }
}
