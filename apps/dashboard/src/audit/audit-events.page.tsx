import { Card, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { FieldList } from '../parts/field-list.js';
import { Instant } from '../parts/instant.js';
import { Page } from '../parts/page.js';
import { Paged } from '../parts/paged.js';
import { strings } from '../strings.js';
import { auditEventsQuery, type AuditEvent } from './audit-events.query.js';

const words = strings.audit;

/** Who has changed what in the organization, newest first. */
export default function AuditEventsPage() {
  const events = useInfiniteQuery(auditEventsQuery);
  return (
    <Page title={words.title}>
      <Paged query={events}>
        {(list) =>
          list.length === 0 ? (
            <Text>{words.empty}</Text>
          ) : (
            <ul className="plain-list">
              {list.map((event) => (
                <EventCard key={event.id} event={event} />
              ))}
            </ul>
          )
        }
      </Paged>
    </Page>
  );
}

function EventCard({
  event: { type, at, actor, address, requestId, subject, detail },
}: {
  readonly event: AuditEvent;
}) {
  return (
    <Card component="li" withBorder>
      <Text component="h2" fw={600}>
        {type}
      </Text>
      <FieldList
        fields={[
          [words.at, <Instant at={at} />],
          [words.actor, [words.actors[actor.kind], actor.display].filter(Boolean).join(' ')],
          [words.address, address ?? strings.none],
          [words.subject, <span className="value">{`${subject.kind} ${subject.id}`}</span>],
          ...Object.entries(detail).map(([name, value]): [string, string] => [name, textOf(value)]),
          [words.requestId, <span className="value">{requestId ?? strings.none}</span>],
        ]}
      />
    </Card>
  );
}

function textOf(value: AuditEvent['detail'][string]): string {
  if (value === null || value === '') return strings.none;
  return Array.isArray(value) ? value.join(', ') : String(value);
}
