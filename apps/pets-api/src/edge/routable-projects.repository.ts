import { Injectable } from '@nestjs/common';
import { isWildcard, originOfRow, type EdgeRoute } from '@pets/contracts';
import { baseNameOf } from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import { servedCertificate } from '../certificates/certificates.repository.js';
import type { DomainLabels, RoutableContent, RoutableDomain } from './compile-routes.js';
import { parentOf, wildcardOver } from '../names/related-names.js';

/** The hosts of a project to read. */
export type RouteScope = 'all' | ReadonlySet<string>;

type Scopes = ReadonlyMap<string, RouteScope>;

/** Inputs of the route compiler besides the projects and their suspensions, and the routes that it compiled before. */
@Injectable()
export class RoutableProjectsRepository {
  /** Contents of some projects for their visitors, by project id, with the origins that hosts of their scopes need. */
  async findContents(tx: Tx, scopes: Scopes): Promise<Map<string, RoutableContent>> {
    const { rows } = await sql<RoutableContent & { projectId: string }>`
      select p.id as "projectId", (
        select d.content_hash from deployments d
        where d.project_id = p.id and d.state = 'ready' and d.activation is not null order by d.activation desc limit 1
      ) as "contentHash", (
        select coalesce(jsonb_agg(jsonb_build_object('name', c.name, 'contentHash', d.content_hash, 'linkKey', c.link_key)), '[]')
        from channels c join deployments d on d.id = c.deployment_id where c.project_id = p.id
      ) as channels, (
        select coalesce(jsonb_agg(jsonb_build_object(
          'id', o.id, 'domain', o.domain_name, 'isServing', o.served_since is not null, 'metadataKeys', o.metadata_keys,
          'serve', jsonb_strip_nulls(jsonb_build_object(
            'kind', 'origin', 'organizationId', o.organization_id, 'projectId', o.project_id, 'url', o.url,
            'hostHeader', o.host_header, 'timeouts', o.timeouts, 'maxConnections', o.max_connections,
            'sealedHeaders', nullif(o.sealed_headers, ''), 'test', o.test
          ))
        )), '[]')
        from origins o where o.id in (${originsWithin(scopes)})
      ) as origins
      from unnest(${[...scopes.keys()]}::uuid[]) as p (id)`.execute(tx);
    return new Map(rows.map(({ projectId, ...content }) => [projectId, content]));
  }

  /** Names of the domains that serve some channels of a project. */
  async listNamesOfChannels(tx: Tx, projectId: string, channels: readonly string[]): Promise<readonly string[]> {
    const rows = await tx
      .selectFrom('domains')
      .select('name')
      .where('project_id', '=', projectId)
      .where('channel', 'in', channels)
      .where('state', '<>', 'removed')
      .execute();
    return rows.map(({ name }) => name);
  }

  /** Labels of the domains of some projects that applications receive, by name. */
  async listLabels(tx: Tx, scopes: Scopes): Promise<Map<string, DomainLabels>> {
    if (scopes.size === 0) return new Map();
    const { rows } = await sql<DomainLabels & { name: string }>`
      select o.name, o.id as "domainId", o.external_id as "externalId", o.metadata
      from ${wholeProjects(scopes)} join domains o on o.project_id = w.project_id and o.state <> 'removed'
      union all
      select o.name, o.id, o.external_id, o.metadata
      from ${listed(scopes)} join domains o on o.name = s.host and o.project_id = s.project_id and o.state <> 'removed'`.execute(
      tx,
    );
    return new Map(rows.map(({ name, ...labels }) => [name, labels]));
  }

  /** Verified, live and prepared domains within some scopes, each with the certificate that visitors get, by project id. */
  async listDomains(tx: Tx, scopes: Scopes): Promise<Map<string, RoutableDomain[]>> {
    return Map.groupBy((await domainsStatement(scopes).execute(tx)).rows, ({ projectId }) => projectId);
  }

  /** The names within some scopes that wildcards cover and that are not served, by project id. */
  async listExcluded(tx: Tx, scopes: Scopes): Promise<Map<string, string[]>> {
    const { rows } = await excludedStatement(scopes).execute(tx);
    const isWithin = (scope: RouteScope, name: string) => scope === 'all' || scope.has(name);
    const excluded = rows.filter(({ projectId, name }) => isWithin(scopes.get(projectId) ?? new Set(), name));
    const byProject = Map.groupBy(excluded, ({ projectId }) => projectId);
    return new Map([...byProject].map(([id, own]) => [id, own.map(({ name }) => name)]));
  }

  /**
   * The names below some wildcards of a project whose routes depend on the wildcard: those that it excludes, or whose exclusion is
   * published, and those that it may serve until they have a certificate.
   */
  async listHostsBelow(tx: Tx, projectId: string, names: readonly string[]): Promise<readonly string[]> {
    const bases = names.filter((name) => isWildcard(name)).map(baseNameOf);
    if (bases.length === 0) return [];
    const { rows } = await sql<{ host: string }>`
      select name as host from (${excludedStatement(new Map([[projectId, 'all']]))}) e
      where ${parentOf(sql`name`)} = any(${bases})
      union
      select name from domains where project_id = ${projectId} and state = 'verified' and ${parentOf(sql`name`)} = any(${bases})
      union
      select host from edge_routes where project_id = ${projectId} and route #>> '{serve,kind}' = 'excluded'
        and ${parentOf(sql`host`)} = any(${bases})`.execute(tx);
    return rows.map(({ host }) => host);
  }

  /** The published routes within some scopes, by project id and host. */
  async listRoutes(tx: Tx, scopes: Scopes): Promise<Map<string, Map<string, EdgeRoute>>> {
    const { rows } = await routesStatement(scopes).execute(tx);
    const byProject = Map.groupBy(rows, ({ projectId }) => projectId);
    return new Map([...byProject].map(([id, own]) => [id, new Map(own.map(({ host, route }) => [host, route]))]));
  }
}

/**
 * Ids of the origins of a project `p` that the routes of its scope depend on: its own, those of the domains, and those whose row
 * is in the scope.
 */
function originsWithin(scopes: Scopes): RawBuilder<unknown> {
  const ids = [...scopes.values()].flatMap((scope) =>
    scope === 'all' ? [] : [...scope].flatMap((host) => originOfRow(host) ?? []),
  );
  const branches = [
    sql`select x.id from origins x where x.project_id = p.id and x.domain_id is null`,
    branchesOf(scopes, {
      whole: sql`select x.id from ${wholeProjects(scopes)} join origins x on x.project_id = w.project_id
        where w.project_id = p.id`,
      listed: sql`select x.id from ${listed(scopes)}
        join origins x on x.project_id = s.project_id and x.domain_name = s.host where s.project_id = p.id`,
    }),
    ...(ids.length === 0
      ? []
      : [sql`select x.id from origins x where x.id = any(${ids}::uuid[]) and x.project_id = p.id`]),
  ];
  return sql.join(branches, sql` union all `);
}

/** Reads only the domains that it returns, however many others a project has or had; a test checks its plan. */
export function domainsStatement(scopes: Scopes): RawBuilder<RoutableDomain & { readonly projectId: string }> {
  return sql`
    select d.project_id as "projectId", d.name, d.channel, n.id as "certificateId", n.not_after as "certificateEndsAt",
      d.state = 'awaiting_dns' as "isPrepared",
      n.id is null and ${hasOwnWildcard} as "hasOwnWildcard",
      ${suspensionsOfDomain} as suspensions
    from (
      ${domainsWithin(scopes, sql`o.state <> 'removed' and o.state in ('verified', 'live')`)}
      union all
      ${domainsWithin(scopes, sql`${isPrepared} and ${isUncontested}`)}
    ) d left join lateral ${servedCertificate} n on true
    where d.state <> 'awaiting_dns' or n.not_after > now()`;
}

/** Domains `o` within some scopes. A branch for each kind of scope that there is: planning those without a row takes most of the time. */
function domainsWithin(scopes: Scopes, condition: RawBuilder<unknown>): RawBuilder<unknown> {
  return branchesOf(scopes, {
    whole: sql`select ${routedColumns} from ${wholeProjects(scopes)}
      join domains o on o.project_id = w.project_id and ${condition}`,
    listed: sql`select ${routedColumns} from ${listed(scopes)}
      join domains o on o.name = s.host and o.project_id = s.project_id and ${condition}`,
  });
}

function branchesOf(
  scopes: Scopes,
  { whole, listed }: { readonly whole: RawBuilder<unknown>; readonly listed: RawBuilder<unknown> },
): RawBuilder<unknown> {
  const kinds = new Set([...scopes.values()].map((scope) => (scope === 'all' ? whole : listed)));
  return sql.join(kinds.size === 0 ? [whole] : [...kinds], sql` union all `);
}

/** Whether the organization of a domain `d` has the wildcard that covers it verified or live, as at most one has. */
const hasOwnWildcard = sql`exists (
    select from domains x where x.name = ${wildcardOver(sql`d.name`)} and x.organization_id = d.organization_id
      and x.state in ('verified', 'live')
  )`;

/**
 * The names that the wildcards of projects exclude, or the operator has blocked. Not a name that somebody has verified: it has a
 * route of its own.
 */
function excludedStatement(scopes: Scopes): RawBuilder<{ readonly projectId: string; readonly name: string }> {
  return sql`
    select x.project_id as "projectId", x.name from (
      select w.project_id, e.name from (${wildcards(scopes)}) w join wildcard_exclusions e on e.domain_id = w.id
      union
      select w.project_id, b.name from (${wildcards(scopes)}) w
      join blocked_names b on ${wildcardOver(sql`b.name`)} = w.name
    ) x where not exists (select from domains v where v.name = x.name and v.state in ('verified', 'live'))`;
}

/** The wildcards of projects of a scope that have a route or may get one. */
function wildcards(scopes: Scopes): RawBuilder<unknown> {
  return sql`select o.id, o.project_id, o.name from domains o
    where o.project_id = any(${[...scopes.keys()]}) and o.name like '*.%' and o.state <> 'removed'
      and (o.state in ('verified', 'live') or ${isPrepared})`;
}

const routedColumns = sql`o.id, o.project_id, o.organization_id, o.name, o.channel, o.state, o.verified_at`;
/** Condition as the indexes of prepared domains have it. */
const isPrepared = sql`o.state = 'awaiting_dns' and o.prepared_at is not null`;

/**
 * A prepared domain `o` has a route while no other one has the name: not one that is verified, and not another prepared one
 * whose delegation was found later, since there can be only one at a time. Nor while another organization serves
 * the wildcard that covers the name: its visitors may come here already.
 */
const isUncontested = sql`not exists (
    select from domains x where x.name = o.name and x.state in ('verified', 'live')
  ) and not exists (
    select from domains x where x.name = ${wildcardOver(sql`o.name`)} and x.state in ('verified', 'live')
      and x.organization_id <> o.organization_id
  ) and not exists (
    select from domains x where x.name = o.name and x.id <> o.id
      and x.state = 'awaiting_dns' and x.prepared_at is not null and x.delegated_at is not null
      and (o.delegated_at is null or (x.delegated_at, x.id) > (o.delegated_at, o.id))
  )`;

/** Statement that reads the published routes of the same scopes as `domainsStatement`. */
export function routesStatement(
  scopes: Scopes,
): RawBuilder<{ readonly projectId: string; readonly host: string; readonly route: EdgeRoute }> {
  return sql`
    select r.project_id as "projectId", r.host, r.route
    from (
      ${branchesOf(scopes, {
        whole: sql`select o.* from ${wholeProjects(scopes)}
          join edge_routes o on o.project_id = w.project_id and o.route is not null`,
        listed: sql`select o.* from ${listed(scopes)}
          join edge_routes o on o.host = s.host and o.project_id = s.project_id`,
      })}
    ) r where r.route is not null`;
}

/** The projects with all hosts, as `w`. Joined, since the planner would expect the removed domains of a project it knows. */
function wholeProjects(scopes: Scopes): RawBuilder<unknown> {
  const ids = [...scopes].flatMap(([id, scope]) => (scope === 'all' ? [id] : []));
  return sql`unnest(${ids}::uuid[]) as w (project_id)`;
}

/** The hosts of the other scopes, as `s`. A project may await a name that another one holds, so a host alone does not do. */
function listed(scopes: Scopes): RawBuilder<unknown> {
  const pairs = [...scopes].flatMap(([id, scope]) => (scope === 'all' ? [] : [...scope].map((host) => ({ id, host }))));
  return sql`unnest(${pairs.map(({ id }) => id)}::uuid[], ${pairs.map(({ host }) => host)}::text[]) as s (project_id, host)`;
}
