import type { components } from '@pets/client';
import type { auditActorKinds } from '@pets/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import { Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { FieldList, Page } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';

type AuditEvent = components['schemas']['AuditEvent'];

const text = {
  title: 'Audit log',
  empty: 'No changes yet.',
  type: 'Event',
  at: 'Time',
  actor: 'Actor',
  actors: {
    api_key: 'API key',
    session: 'Session of API key',
    person: 'Person',
    operator: 'Platform operator',
    system: 'Platform',
  } satisfies Record<(typeof auditActorKinds)[number], string>,
  subject: 'Resource',
  subjectId: 'ID',
  address: 'IP address',
  requestId: 'Request ID',
};

const auditEventsQuery = pagedQuery<AuditEvent>(['audit-events'], (query, signal) =>
  resultOf(api().GET('/v1/audit-events', { params: { query }, signal })),
);

/** Changes in the organization, newest first. */
export default function AuditPage() {
  const events = useInfiniteQuery(auditEventsQuery);
  return (
    <Page title={text.title}>
      <Paged query={events}>
        {(list) => (list.length === 0 ? <EmptyState title={text.empty} /> : <AuditTable events={list} />)}
      </Paged>
    </Page>
  );
}

function AuditTable({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.title}
        rows={events}
        keyOf={({ id }) => id}
        columns={[
          { header: text.type, kind: 'title', cell: ({ type }) => asWords(type) },
          { header: text.subject, cell: (event) => <Subject event={event} /> },
          {
            header: text.actor,
            kind: 'tight',
            cell: ({ actor }) => [text.actors[actor.kind], actor.display].filter(Boolean).join(' '),
          },
          { header: text.at, kind: 'tight', cell: ({ at }) => <Instant at={at} /> },
        ]}
      />
    </div>
  );
}

/** The name of the resource, which unfolds to what changed and by which request. */
function Subject({ event }: { readonly event: AuditEvent }) {
  const { subject, detail, address, requestId } = event;
  return (
    <details className="row-details">
      <summary>{nameOfSubject(event)}</summary>
      <FieldList
        fields={[
          [text.subjectId, subject.id],
          ...Object.entries(detail).map(([name, value]) => [asWords(name), formatDetail(value)] as const),
          [text.address, address],
          [text.requestId, requestId],
        ]}
      />
    </details>
  );
}

const abbreviations: Readonly<Record<string, string>> = { api: 'API', id: 'ID', dns: 'DNS', ip: 'IP', url: 'URL' };

/** Such as `API key revoked` of `api_key.revoked`, and `Expires at` of `expiresAt`. */
export function asWords(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[\s._]+/)
    .map((word) => abbreviations[word] ?? word);
  const phrase = words.join(' ');
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

/** Name of the resource for people; its id where it has none. */
export function nameOfSubject({ subject, detail }: AuditEvent): string {
  const name = [detail['name'], detail['slug'], detail['host']].find(
    (value) => typeof value === 'string' && value !== '',
  );
  return String(name ?? subject.id);
}

/** The detail as text; null for what the event does not have. */
export function formatDetail(value: AuditEvent['detail'][string]): string | null {
  if (value === null || value === '') return null;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
