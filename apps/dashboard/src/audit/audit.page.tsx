import type { components } from '@pets/client';
import type { auditActorKinds } from '@pets/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import { Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { Page } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { strings } from '../strings.js';

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
    operator: 'Platform operator',
    system: 'Platform',
  } satisfies Record<(typeof auditActorKinds)[number], string>,
  subject: 'Resource',
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
          { header: text.type, kind: 'title', cell: ({ type }) => type },
          { header: text.at, kind: 'tight', cell: ({ at }) => <Instant at={at} /> },
          {
            header: text.actor,
            cell: ({ actor, address }) => (
              <>
                {[text.actors[actor.kind], actor.display].filter(Boolean).join(' ')}
                {address !== null && <small>{address}</small>}
              </>
            ),
          },
          { header: text.subject, cell: (event) => <Subject event={event} /> },
        ]}
      />
    </div>
  );
}

/** The resource, what changed, and the request. */
function Subject({ event: { subject, detail, requestId } }: { readonly event: AuditEvent }) {
  return (
    <div>
      <span className="value">{`${subject.kind} ${subject.id}`}</span>
      <small>
        {[
          ...Object.entries(detail).map(([name, value]) => `${name}: ${formatDetail(value)}`),
          ...(requestId === null ? [] : [`${text.requestId}: ${requestId}`]),
        ].join(' · ')}
      </small>
    </div>
  );
}

function formatDetail(value: AuditEvent['detail'][string]): string {
  if (value === null || value === '') return strings.none;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
