import { Inject, Injectable } from '@nestjs/common';
import type { AuditEvent, ListAuditEventsQuery } from '@pets/contracts';
import type { Database } from '@pets/persistence';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { byNumber, byNumberOf, findPage, type PageQuery } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';
import { actorDisplay } from './audit-log.js';

export type AuditFilters = Omit<ListAuditEventsQuery, 'limit' | 'cursor'>;

/**
 * The resource by the name that the event was written with; else by its name of today. That of a person is read from `people`, where
 * it can be deleted. Subjects of these kinds have ids; a name that is suspended before it is added has none.
 */
const subjectDisplay = sql<string | null>`case subject_kind
    when 'person' then (select coalesce(p.name, p.email) from people p where p.id = subject_id::uuid)
    else coalesce(
      nullif(detail ->> 'name', ''), detail ->> 'host', detail ->> 'url',
      case subject_kind
        when 'organization' then (select o.name from organizations o where o.id = subject_id::uuid)
        when 'project' then (select p.name from projects p where p.id = subject_id::uuid)
        when 'api_key' then (select k.name from api_keys k where k.id = subject_id::uuid)
      end
    )
  end`;

/** The project of the resource, by its name of today. */
const projectOfEvent = sql<AuditEvent['project']>`(
    select jsonb_build_object('id', p.id, 'name', p.name) from projects p where p.id = (detail ->> 'projectId')::uuid
  )`;

/** Reads the events of organizations, newest first. */
@Injectable()
export class AuditEventsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async findPage(organizationId: string, filters: AuditFilters, bounds: PageBounds): Promise<FoundPage<AuditEvent>> {
    const { ids: numbers, next } = await findPage(this.db, auditPageQuery(organizationId, filters), bounds);
    if (numbers.length === 0) return { rows: [], next };
    const rows = await this.db
      .selectFrom('audit_events')
      .select(['id', 'at', 'type', 'actor_kind', 'actor_id', 'request_id', 'detail', 'subject_kind', 'subject_id'])
      .select(sql<string | null>`host(address)`.as('address'))
      .select(actorDisplay('actor').as('actor_display'))
      .select([subjectDisplay.as('subject_display'), projectOfEvent.as('project')])
      .where('organization_id', '=', organizationId)
      .where('number', 'in', numbers.map(BigInt))
      .orderBy('number', 'desc')
      .execute();
    return {
      next,
      rows: rows.map((row) => ({
        id: row.id,
        at: row.at.toISOString(),
        type: row.type,
        actor: { kind: row.actor_kind, id: row.actor_id, display: row.actor_display },
        address: row.address,
        requestId: row.request_id,
        subject: { kind: row.subject_kind, id: row.subject_id, display: row.subject_display },
        project: row.project,
        detail: row.detail,
      })),
    };
  }
}

interface Filter {
  readonly column: string;
  readonly value: RawBuilder<string>;
}

/**
 * The index of the most selective filter is read: `audit_events_by_subject`, `audit_events_by_actor` or `audit_events_by_type`;
 * without one, the primary key. Tests check the plans.
 */
export function auditPageQuery(organizationId: string, { subjectId, actorId, type }: AuditFilters): PageQuery {
  const [indexed, ...others] = [
    ...(subjectId === undefined ? [] : [{ column: 'subject_id', value: sql<string>`${subjectId}::uuid::text` }]),
    ...(actorId === undefined ? [] : [{ column: 'actor_id', value: sql<string>`${actorId}::uuid` }]),
    ...(type === undefined ? [] : [{ column: 'type', value: sql<string>`${type}::text` }]),
  ] satisfies readonly Filter[];
  const source = { from: sql`audit_events`, id: 'number' };
  const ofOrganization = sql<SqlBool>`organization_id = ${organizationId}`;
  if (indexed === undefined)
    return { ...source, where: ofOrganization, keyset: byNumber('number', '-number'), filters: [] };
  const keyset = byNumberOf('number', indexed.column, indexed.value);
  return {
    ...{ ...source, keyset, where: sql`${ofOrganization} and ${keyset.within}` },
    filters: others.map(({ column, value }) => sql<SqlBool>`${sql.ref(column)} = ${value}`),
  };
}
