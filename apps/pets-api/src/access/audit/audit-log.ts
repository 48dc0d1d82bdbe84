/**
 * Records each change in an organization, its actor and its origin. The transaction of the change writes the row, so
 * there is a row exactly if the change committed. Rows are never updated; `retention/` deletes old ones.
 * `detail` has chosen fields for each type and never a body or a URL, so it contains no secret.
 */
import { Injectable } from '@nestjs/common';
import type { AuditDetail, AuditEventType, AuditSubjectKind } from '@pets/contracts';
import { recordset, type Database, type Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { currentRequester } from './requester.js';

/**
 * The name of an actor, of the columns `<prefix>_kind`, `_id` and `_display`. That of a person is read from `people`, where it can
 * be deleted.
 */
export function actorDisplay(prefix: 'actor' | 'author' | 'created_by'): RawBuilder<string | null> {
  const [kind, id, display] = ['kind', 'id', 'display'].map((name) => sql.ref(`${prefix}_${name}`));
  return sql`case ${kind}
    when 'person' then (select coalesce(p.name, p.email) from people p where p.id = ${id}) else ${display} end`;
}

export interface NewAuditEvent {
  readonly organizationId: string;
  readonly type: AuditEventType;
  readonly subject: { readonly kind: AuditSubjectKind; readonly id: string };
  readonly detail?: AuditDetail;
}

const eventColumns = {
  organizationId: 'uuid',
  type: 'text',
  subjectKind: 'text',
  subjectId: 'text',
  detail: 'jsonb',
} as const;

@Injectable()
export class AuditLog {
  async record(tx: Database | Tx, event: NewAuditEvent): Promise<void> {
    await this.recordAll(tx, [event]);
  }

  async recordAll(tx: Database | Tx, events: readonly NewAuditEvent[]): Promise<void> {
    if (events.length === 0) return;
    const { kind, apiKeyId, personId, name, address, requestId } = currentRequester();
    // The name of a person is read with the log, so that it can be deleted.
    const [actorId, displayedKey] = personId === null ? [apiKeyId, apiKeyId] : [personId, null];
    const given = events.map(({ organizationId, type, subject, detail = {} }) => ({
      ...{ organizationId, type, detail },
      subjectKind: subject.kind,
      subjectId: subject.id,
    }));
    await sql`
      insert into audit_events
        (organization_id, type, actor_kind, actor_id, actor_display, address, request_id, subject_kind, subject_id, detail)
      select g."organizationId", g.type, ${kind}, ${actorId}::uuid,
        coalesce(${name}::text, (select display from api_keys where id = ${displayedKey}::uuid)), ${address}::inet,
        ${requestId}::text, g."subjectKind", g."subjectId", g.detail
      from ${recordset('g', eventColumns, given)}`.execute(tx);
  }
}
