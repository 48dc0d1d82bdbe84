import { PLATFORM_DOMAIN, type Stack } from '@pets/lab';
import type { Database } from '@pets/persistence';
import type pg from 'pg';

/** Names of an organization, and of a project. */
const ORGANIZATION_NAMES = 1_000;
const PROJECT_NAMES = 50;

/** The CA of all certificates: its limits are known. */
export const DIRECTORY = 'https://acme-v02.api.letsencrypt.org/directory';

/** Rows of one statement. */
const STEP = 50_000;

/** A range of numbers of domains, both ends included. */
interface Numbers {
  readonly from: number;
  readonly to: number;
}

/** The owner of domains, as SQL with the number `n`. */
interface Owner {
  readonly organization: string;
  readonly project: string;
}

const manyOwners: Owner = {
  organization: `((n - 1) / ${ORGANIZATION_NAMES})`,
  project: `((n - 1) / ${PROJECT_NAMES})`,
};

/** Names of the project `large`. */
const LARGE_NAMES = 10_000;
/** Removed names of the project `crowded`, which has few names. */
const CROWDED_REMOVED = 50_000;
const CROWDED_NAMES = 25;
/** Numbers beyond all others. */
const LARGE_FROM = 100_000_001;
const CROWDED_FROM = 200_000_001;

/**
 * Fills the tables as so many live domains leave them: a claim, a certificate, a route, two history entries and four
 * schedule rows each, and a removed domain for every ten. Ids are hashes, so that neighbours in an index are none in the
 * table.
 */
export async function fill(db: pg.Client, numbers: Numbers): Promise<void> {
  await db.query(chains);
  await fillDomains(db, numbers, manyOwners);
  await settle(db);
}

/** A project with many names, and one with few names of which many more were removed. */
export async function fillProjects(db: pg.Client): Promise<void> {
  await fillDomains(db, { from: LARGE_FROM, to: LARGE_FROM + LARGE_NAMES - 1 }, ownerOf('large'));
  await fillDomains(db, { from: CROWDED_FROM, to: CROWDED_FROM + CROWDED_NAMES - 1 }, ownerOf('crowded'));
  await db.query(
    `insert into domains (organization_id, project_id, name, unicode_name, apex_name, state, generation_began_at,
       requested_at, removed_at, removed_version, traffic_stopped_at)
     select d.organization_id, d.project_id, d.name, d.name, d.apex_name, 'removed', now(), now(), now(), n, now()
     from generate_series(1, $1) n join domains d on d.id = ${idOf('domain', `(${CROWDED_FROM} + n % ${CROWDED_NAMES})`)}`,
    [CROWDED_REMOVED],
  );
  await settle(db);
}

/** Makes DNS checks due that are not yet. */
export async function makeDue(db: pg.Client, count: number): Promise<void> {
  await db.query(
    `update domain_work set due_at = now() - random() * interval '1 minute' where (domain_id, kind) in (
       select domain_id, kind from domain_work where kind = 'dns' and due_at > now() limit $1
     )`,
    [count],
  );
}

/** The id of the domain, project or organization with a number, or with a name in quotes. */
export function idOf(kind: 'domain' | 'project' | 'organization', number: string): string {
  // The version and the variant of a random UUID: payloads are checked.
  return `overlay(overlay(md5('${kind} ' || ${number}) placing '4' from 13) placing '8' from 17)::uuid`;
}

function ownerOf(name: string): Owner {
  return { organization: `'${name}'`, project: `'${name}'` };
}

async function fillDomains(db: pg.Client, { from, to }: Numbers, owner: Owner): Promise<void> {
  for (let first = from; first <= to; first += STEP) {
    const range = [first, Math.min(first + STEP - 1, to)];
    for (const statement of statementsFor(owner)) await db.query(statement, range);
  }
}

async function settle(db: pg.Client): Promise<void> {
  await db.query('update edge_feed set version = (select coalesce(max(version), 0) from edge_routes)');
  // Index-only scans depend on it, and autovacuum would do it in the midst of a measurement.
  await db.query('vacuum analyze');
  await db.query('checkpoint');
}

/** Certificate chains do not compress; a few of them are enough, since each row stores its own. */
const chains = `
  create table if not exists bench_chains as
  select s as number, (select string_agg(md5(random()::text || s || i), '') from generate_series(1, 105) i) as pem
  from generate_series(0, 63) s`;

/** A name whose DNS is correct: see `known-dns.ts`. */
const name = `'match-r' || n || '.customer' || n || '.example'`;
const apexName = `'customer' || n || '.example'`;
const all = 'generate_series($1::integer, $2::integer) n';

/** $1 and $2 are the first and the last number. */
function statementsFor(owner: Owner): string[] {
  const domainId = idOf('domain', 'n');
  const projectId = idOf('project', owner.project);
  const organizationId = idOf('organization', owner.organization);
  return [
    `insert into organizations (id, name, plan)
   select distinct on (1) ${organizationId}, 'Organization ' || ${owner.organization}, 'enterprise' from ${all}
   on conflict do nothing`,
    `insert into projects (id, organization_id, name, slug, event_number)
   select distinct on (1) ${projectId}, ${organizationId}, 'Project ' || ${owner.project}, 'project-' || ${owner.project},
     ${2 * LARGE_NAMES}
   from ${all} on conflict do nothing`,
    `insert into deployments (project_id, state, content_hash, files_hash, files, bytes)
   select project, 'ready', md5(content), md5(content), 3, 30000
   from (select distinct ${projectId} as project, 'content ' || ${owner.project} as content from ${all}) as deployed`,
    `insert into domain_claims (organization_id, name, target_token, ownership_token, verified_at)
   select ${organizationId}, ${name}, 'tr' || n, 'o' || n, now() from ${all}`,
    `insert into domains (id, organization_id, project_id, name, unicode_name, apex_name, state, generation_began_at,
     requested_at, checked_at, observed, name_servers, verified_at, live_at)
   select ${domainId}, ${organizationId}, ${projectId}, ${name}, ${name}, ${apexName}, 'live', now() - interval '60 days',
     now() - interval '60 days', now() - random() * interval '1 hour',
     jsonb_build_array(jsonb_build_object('type', 'CNAME', 'name', ${name}, 'value', 'tr' || n || '.cname.${PLATFORM_DOMAIN}')),
     '["ns1.provider.example", "ns2.provider.example"]', now() - interval '60 days', now() - interval '60 days'
   from ${all}`,
    `insert into domains (organization_id, project_id, name, unicode_name, apex_name, state, generation_began_at,
     requested_at, removed_at, removed_version, traffic_stopped_at)
   select ${organizationId}, ${projectId}, ${name}, ${name}, ${apexName}, 'removed', now() - interval '90 days',
     now() - interval '90 days', now() - interval '70 days', n, now() - interval '70 days'
   from ${all} where n % 10 = 0`,
    `insert into certificates (origin, domain_id, organization_id, name, apex_name, generation, attempt, state, directory_url,
     account_thumbprint, is_renewal, ordered, csr_pem, sealed_key, chain_pem, leaf_sha256, issuer, not_before, not_after, renew_at, identifier,
     created_at, issued_at, has_object, object_written_at)
   select 'ordered', ${domainId}, ${organizationId}, ${name}, ${apexName}, 1, 1, 'issued', '${DIRECTORY}', '', true, true,
     substr(c.pem, 1, 500), '1.engine.' || substr(c.pem, 1 + n % 1000, 400), c.pem, md5('leaf ' || n) || md5('leaf' || n),
     'Example CA', a.at, a.at + interval '90 days', a.at + interval '60 days', md5('identifier ' || n), a.at, a.at, true, a.at
   from ${all} join bench_chains c on c.number = n % 64
     cross join lateral (select now() - interval '1 minute' - (n * 7919::bigint % 1000003) / 1000003.0 * interval '60 days' as at) a`,
    `insert into project_events (project_id, number, domain_id, type, from_state, to_state, detail, at)
   select ${projectId}, 2 * ((n - 1) % ${LARGE_NAMES}) + e, ${domainId}, 'dns.checked',
     case e when 2 then 'verified' end, case e when 1 then 'verified' else 'live' end, 'the DNS records are correct',
     now() - interval '60 days'
   from ${all}, generate_series(1, 2) e`,
    `insert into domain_work (domain_id, organization_id, priority, kind, due_at, requested_at, attempt, applied_attempt)
   select ${domainId}, ${organizationId}, 3, w.kind, now() + w.pause * (0.01 + random()), now() - interval '60 days', 3, 3
   from ${all}, (values ('dns', interval '6 hours'), ('probe', null), ('reverify', null), ('issuance', interval '30 days'))
     as w (kind, pause)`,
    `insert into edge_routes (host, project_id, version, route)
   select ${name}, ${projectId}, n, jsonb_build_object('domainId', ${domainId}, 'contentHash', md5('content ' || ${owner.project}))
   from ${all}`,
  ];
}

/** The database that is filled, and what pets-api needs beside it. */
export interface RowsGround {
  readonly stack: Stack;
  readonly client: pg.Client;
  readonly db: Database;
}
