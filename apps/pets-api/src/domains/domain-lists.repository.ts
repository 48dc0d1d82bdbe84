import { Inject, Injectable } from '@nestjs/common';
import type { ListDomainsQuery } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { byCreation, byText, findPage, type PageOfIds, type PageQuery } from '../http/paging/keyset.js';
import type { PageBounds } from '../http/paging/pages.js';
import { DATABASE } from '../platform/providers.js';

/** Whose domains are listed. */
export type ListScope = { readonly projectId: string } | { readonly organizationId: string };

export type DomainFilters = Pick<ListDomainsQuery, 'state' | 'misconfigured' | 'q' | 'expiresBefore' | 'sort'> & {
  /** A complete name, in ASCII form. */
  readonly name?: string | undefined;
};

/** Pages of domains that are not removed. */
@Injectable()
export class DomainListsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  findPage(scope: ListScope, filters: DomainFilters, bounds: PageBounds): Promise<PageOfIds> {
    return findPage(this.db, domainsPageQuery(scope, filters), bounds);
  }
}

/** A condition that an index of the order supports, or one that is evaluated for each row. */
interface Conditions {
  readonly indexed: readonly RawBuilder<SqlBool>[];
  readonly scanned: readonly RawBuilder<SqlBool>[];
}

/**
 * The order decides which index is read, and so which filters it supports: `domains_kept` for the order of creation,
 * `domains_by_name` for names, `domains_kept_by_state` and `domains_misconfigured` for one filter in the order of
 * creation. Tests check the plans.
 */
export function domainsPageQuery(scope: ListScope, filters: DomainFilters): PageQuery {
  const { q, name, sort = q === undefined && 'projectId' in scope ? 'createdAt' : 'name' } = filters;
  const isByName = sort.endsWith('name');
  const { indexed, scanned } = isByName ? byNameConditions(filters) : byCreationConditions(filters);
  const own =
    'projectId' in scope
      ? sql<SqlBool>`d.project_id = ${scope.projectId}`
      : sql<SqlBool>`d.organization_id = ${scope.organizationId}`;
  const kept = sql<SqlBool>`d.state <> 'removed'`;
  const exact = name === undefined ? [] : [sql<SqlBool>`d.name collate "C" = ${name}`];
  return {
    from: sql`domains d`,
    where: sql`${sql.join([own, kept, ...exact, ...indexed], sql` and `)}`,
    keyset: isByName ? byText('d.name', sort) : byCreation('d', sort),
    filters: [...scanned, ...expiryConditions(filters)],
  };
}

function byNameConditions({ q, state, misconfigured }: DomainFilters): Conditions {
  return {
    // Every character of a name sorts before "~".
    indexed: q === undefined ? [] : [sql`d.name collate "C" >= ${q} and d.name collate "C" < ${q + '~'}`],
    scanned: [...stateConditions(state), ...misconfiguredConditions(misconfigured)],
  };
}

function byCreationConditions({ q, state, misconfigured }: DomainFilters): Conditions {
  const begins = q === undefined ? [] : [sql<SqlBool>`starts_with(d.name, ${q})`];
  if (misconfigured === true)
    return { indexed: misconfiguredConditions(true), scanned: [...stateConditions(state), ...begins] };
  return { indexed: stateConditions(state), scanned: [...misconfiguredConditions(misconfigured), ...begins] };
}

function stateConditions(state: DomainFilters['state']): RawBuilder<SqlBool>[] {
  return state === undefined ? [] : [sql`d.state = ${state}`];
}

function misconfiguredConditions(misconfigured: boolean | undefined): RawBuilder<SqlBool>[] {
  return misconfigured === undefined ? [] : [misconfigured ? sql`d.misconfigured` : sql`not d.misconfigured`];
}

/** The end of the newest certificate, of a domain that is served. */
function expiryConditions({ expiresBefore }: DomainFilters): RawBuilder<SqlBool>[] {
  if (expiresBefore === undefined) return [];
  return [
    sql`(
      select c.not_after from certificates c
      where c.domain_id = d.id and c.state = 'issued' order by c.issued_at desc limit 1
    ) < ${expiresBefore}::timestamptz`,
  ];
}
