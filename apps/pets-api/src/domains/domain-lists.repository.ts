import { Inject, Injectable } from '@nestjs/common';
import type { ListDomainsQuery, Metadata } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { byCreation, byText, findPage, type PageOfIds, type PageQuery } from '../http/paging/keyset.js';
import type { PageBounds } from '../http/paging/pages.js';
import { DATABASE } from '../platform/providers.js';
import { servedCertificate } from '../certificates/certificates.repository.js';

/** Organization or project whose domains are listed. */
export interface ListScope {
  readonly organizationId: string;
  /** Null: all projects. */
  readonly projectId: string | null;
}

export type DomainFilters = Omit<ListDomainsQuery, 'limit' | 'cursor'> & {
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

/** Conditions that the index of the order supports, and those that are evaluated for each row. */
interface Conditions {
  readonly indexed: readonly RawBuilder<SqlBool>[];
  readonly scanned: readonly RawBuilder<SqlBool>[];
}

/**
 * The order decides which index is read, and so which filters it supports. In the order of creation: `domains_kept`, or with
 * one filter `domains_kept_by_state` or `domains_misconfigured`. In the order of names: `domains_by_name`,
 * `domains_by_organization_name`, `domains_by_external_id`, or the primary key of `domain_metadata`. Tests check the plans.
 */
export function domainsPageQuery(scope: ListScope, filters: DomainFilters): PageQuery {
  const { sort = defaultSort(scope, filters) } = filters;
  const query = sort.endsWith('name') ? byNameQuery(scope, filters) : byCreationQuery(scope, filters);
  return {
    ...{ from: query.from, id: 'd.id' },
    where: sql`${sql.join([sql`d.state <> 'removed'`, ...query.indexed], sql` and `)}`,
    keyset: sort.endsWith('name') ? byText(query.nameColumn, sort) : byCreation('d', sort),
    filters: [...query.scanned, ...expiryConditions(filters)],
  };
}

function defaultSort({ projectId }: ListScope, { q, externalId, metadata }: DomainFilters) {
  return projectId === null || (q ?? externalId ?? metadata) !== undefined ? 'name' : 'createdAt';
}

interface Source extends Conditions {
  readonly from: RawBuilder<unknown>;
  readonly nameColumn: string;
}

function byNameQuery(scope: ListScope, filters: DomainFilters): Source {
  const { name, q, contains, state, misconfigured } = filters;
  const source = sourceOfNames(scope, filters);
  const column = sql`${sql.ref(source.nameColumn)} collate "C"`;
  // Every character of a name sorts before "~".
  const prefix = q === undefined ? [] : [sql<SqlBool>`${column} >= ${q} and ${column} < ${q + '~'}`];
  const exact = name === undefined ? [] : [sql<SqlBool>`${column} = ${name}`];
  return {
    ...source,
    indexed: [...source.indexed, ...exact, ...prefix],
    scanned: [
      ...source.scanned,
      ...containsConditions(contains),
      ...stateConditions(state),
      ...misconfiguredConditions(misconfigured),
    ],
  };
}

/** The index that has few rows: of one value of metadata, of an external id, of the project, or of the organization. */
function sourceOfNames({ organizationId, projectId }: ListScope, { externalId, metadata }: DomainFilters): Source {
  const domains = { from: sql`domains d`, nameColumn: 'd.name' };
  const ofOrganization = sql<SqlBool>`d.organization_id = ${organizationId}`;
  const inProject = projectId === null ? [] : [sql<SqlBool>`d.project_id = ${projectId}`];
  if (externalId !== undefined) {
    const indexed = [ofOrganization, ...externalIdConditions(externalId)];
    return { ...domains, indexed, scanned: [...inProject, ...metadataConditions(metadata)] };
  }
  const [first, ...others] = Object.entries(metadata ?? {});
  if (first !== undefined) {
    const [key, value] = first;
    return {
      ...{ from: sql`domain_metadata m join domains d on d.id = m.domain_id`, nameColumn: 'm.name' },
      indexed: [sql`m.organization_id = ${organizationId} and m.key = ${key} and m.value = ${value}`],
      scanned: [...inProject, ...(others.length === 0 ? [] : metadataConditions(metadata))],
    };
  }
  return { ...domains, indexed: projectId === null ? [ofOrganization] : inProject, scanned: [] };
}

function byCreationQuery({ projectId, organizationId }: ListScope, filters: DomainFilters): Source {
  const { q, contains, state, misconfigured, externalId, metadata } = filters;
  const isMisconfigured = misconfigured === true;
  const own =
    projectId === null
      ? sql<SqlBool>`d.organization_id = ${organizationId}`
      : sql<SqlBool>`d.project_id = ${projectId}`;
  return {
    ...{ from: sql`domains d`, nameColumn: 'd.name' },
    indexed: [own, ...(isMisconfigured ? misconfiguredConditions(true) : stateConditions(state))],
    scanned: [
      ...(isMisconfigured ? stateConditions(state) : misconfiguredConditions(misconfigured)),
      ...(q === undefined ? [] : [sql<SqlBool>`starts_with(d.name, ${q})`]),
      ...containsConditions(contains),
      ...externalIdConditions(externalId),
      ...metadataConditions(metadata),
    ],
  };
}

/** No index finds a part of a name in the order of the list (docs/decisions/0062-lists-of-any-length.md). */
function containsConditions(contains: string | undefined): RawBuilder<SqlBool>[] {
  return contains === undefined ? [] : [sql`strpos(d.name, ${contains}) > 0`];
}

function externalIdConditions(externalId: string | undefined): RawBuilder<SqlBool>[] {
  return externalId === undefined ? [] : [sql`d.external_id = ${externalId}`];
}

function metadataConditions(metadata: Metadata | undefined): RawBuilder<SqlBool>[] {
  return metadata === undefined ? [] : [sql`d.metadata @> ${JSON.stringify(metadata)}::jsonb`];
}

function stateConditions(state: DomainFilters['state']): RawBuilder<SqlBool>[] {
  return state === undefined ? [] : [sql`d.state = ${state}`];
}

function misconfiguredConditions(misconfigured: boolean | undefined): RawBuilder<SqlBool>[] {
  return misconfigured === undefined ? [] : [misconfigured ? sql`d.misconfigured` : sql`not d.misconfigured`];
}

/** The end of the certificate that visitors get, of a domain that is served. */
function expiryConditions({ expiresBefore }: DomainFilters): RawBuilder<SqlBool>[] {
  if (expiresBefore === undefined) return [];
  // As a date: PostgreSQL does not support the year 0, nor all offsets of RFC 3339.
  return [sql`(select n.not_after from ${servedCertificate} n) < ${new Date(expiresBefore)}`];
}
