import type { components } from '@pets/client';
import type { auditActorKinds } from '@pets/contracts';
import { Card, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import { Paged } from '../components/loaded.js';
import { FieldList, Page } from '../components/page.js';
import { Instant } from '../components/time.js';
import { strings } from '../strings.js';

type AuditEvent = components['schemas']['AuditEvent'];

const text = {
  title: 'Audit log',
  empty: 'No changes yet.',
  at: 'Time',
  actor: 'Actor',
  actors: {
    api_key: 'API key',
    session: 'Session of API key',
    operator: 'Platform operator',
    system: 'Platform',
  } satisfies Record<(typeof auditActorKinds)[number], string>,
  address: 'IP address',
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
        {(list) =>
          list.length === 0 ? (
            <Text>{text.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((event) => (
                <AuditEventCard key={event.id} event={event} />
              ))}
            </ul>
          )
        }
      </Paged>
    </Page>
  );
}

function AuditEventCard({ event }: { readonly event: AuditEvent }) {
  const { type, at, actor, address, requestId, subject, detail } = event;
  return (
    <Card component="li" withBorder>
      <Text component="h2" fw={600}>
        {type}
      </Text>
      <FieldList
        fields={[
          [text.at, <Instant at={at} />],
          [text.actor, [text.actors[actor.kind], actor.display].filter(Boolean).join(' ')],
          [text.address, address ?? strings.none],
          [text.subject, <span className="value">{`${subject.kind} ${subject.id}`}</span>],
          ...Object.entries(detail).map(([name, value]): [string, string] => [name, formatDetail(value)]),
          [text.requestId, <span className="value">{requestId ?? strings.none}</span>],
        ]}
      />
    </Card>
  );
}

function formatDetail(value: AuditEvent['detail'][string]): string {
  if (value === null || value === '') return strings.none;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
