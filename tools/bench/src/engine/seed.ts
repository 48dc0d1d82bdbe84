import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/** As many as a project may have. */
const DOMAINS_A_PROJECT = 50;

/** What is to stand in the tables: each domain has a name and the token its target is made of. */
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
