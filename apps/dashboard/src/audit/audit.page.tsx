import { Button, Group, NativeSelect } from '@mantine/core';
import type { components } from '@pets/client';
import { type auditActorKinds, auditEventTypes, type AuditEventType } from '@pets/contracts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, resultOf } from '../api/api.js';
import { pagedQuery } from '../api/paged-query.js';
import { Paged } from '../components/loaded.js';
import { EmptyState } from '../components/notice.js';
import { FieldList, Page } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { Instant } from '../components/time.js';
import { strings } from '../strings.js';

type AuditEvent = components['schemas']['AuditEvent'];

const text = {
  title: 'Audit log',
  empty: 'No changes yet.',
  nothingFound: 'No change matches the filters.',
  by: (actor: string) => `By ${actor}`,
  of: (subject: string) => `Of ${subject}`,
  removeFilter: (filter: string) => `Remove the filter: ${filter}`,
  onlySubject: 'Only this resource',
  onlyActor: 'Only this actor',
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
  project: 'Project',
  subjectId: 'ID',
  address: 'IP address',
  requestId: 'Request ID',
};

/** A person, an API key or a resource that the list is limited to. */
interface Chosen {
  readonly id: string;
  readonly name: string;
}

interface AuditFilters {
  readonly type: AuditEventType | null;
  readonly actor: Chosen | null;
  readonly subject: Chosen | null;
}

const auditEventsQuery = ({ type, actor, subject }: AuditFilters) => {
  const filters = {
    ...(type !== null && { type }),
    ...(actor !== null && { actorId: actor.id }),
    ...(subject !== null && { subjectId: subject.id }),
  };
  return pagedQuery<AuditEvent>(['audit-events', filters], (query, signal) =>
    resultOf(api().GET('/v1/audit-events', { params: { query: { ...query, ...filters } }, signal })),
  );
};

/** Changes in the organization, newest first. */
export default function AuditPage() {
  const [filters, setFilters] = useState<AuditFilters>({ type: null, actor: null, subject: null });
  const change = (changed: Partial<AuditFilters>) => setFilters({ ...filters, ...changed });
  const isFiltered = Object.values(filters).some((filter) => filter !== null);
  const events = useInfiniteQuery(auditEventsQuery(filters));
  return (
    <Page title={text.title}>
      <Toolbar filters={filters} onFilter={change} />
      <Paged query={events}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={isFiltered ? text.nothingFound : text.empty} />
          ) : (
            <AuditTable events={list} filters={filters} onFilter={change} />
          )
        }
      </Paged>
    </Page>
  );
}

interface FilterProps {
  readonly filters: AuditFilters;
  readonly onFilter: (changed: Partial<AuditFilters>) => void;
}

function Toolbar({ filters, onFilter }: FilterProps) {
  const { type, actor, subject } = filters;
  return (
    <div className="toolbar">
      <NativeSelect
        label={text.type}
        value={type ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onFilter({ type: auditEventTypes.find((each) => each === value) ?? null })
        }
        data={[{ value: '', label: strings.all }, ...typeGroups]}
      />
      {actor !== null && <ActiveFilter text={text.by(actor.name)} onRemove={() => onFilter({ actor: null })} />}
      {subject !== null && <ActiveFilter text={text.of(subject.name)} onRemove={() => onFilter({ subject: null })} />}
    </div>
  );
}

/** A filter that was chosen in the list, which a click removes. */
function ActiveFilter({ text: label, onRemove }: { readonly text: string; readonly onRemove: () => void }) {
  return (
    <Button variant="default" onClick={onRemove} aria-label={text.removeFilter(label)}>
      {label} <span aria-hidden="true">&nbsp;×</span>
    </Button>
  );
}

function AuditTable({ events, ...filtering }: FilterProps & { readonly events: readonly AuditEvent[] }) {
  return (
    <div className="card" data-flush>
      <DataTable
        label={text.title}
        rows={events}
        keyOf={({ id }) => id}
        columns={[
          { header: text.type, kind: 'title', cell: ({ type }) => asWords(type) },
          { header: text.subject, cell: (event) => <Subject event={event} {...filtering} /> },
          { header: text.actor, kind: 'tight', cell: ({ actor }) => nameOfActor(actor) },
          { header: text.at, kind: 'tight', cell: ({ at }) => <Instant at={at} /> },
        ]}
      />
    </div>
  );
}

/** The name of the resource, which unfolds to what changed and by which request. */
function Subject({ event, ...filtering }: FilterProps & { readonly event: AuditEvent }) {
  const { project } = event;
  return (
    <details className="row-details">
      <summary>
        {nameOfSubject(event)}
        {project !== null && <small>{project.name}</small>}
      </summary>
      <FieldList fields={fieldsOf(event)} />
      <FilterButtons event={event} {...filtering} />
    </details>
  );
}

/** Limit the list to the resource and to the actor of an event, unless it is. */
function FilterButtons({ event: { subject, actor }, filters, onFilter }: FilterProps & { readonly event: AuditEvent }) {
  const { id: actorId } = actor;
  return (
    <Group gap="xs" my="sm">
      {filters.subject?.id !== subject.id && (
        <Button
          variant="default"
          onClick={() => onFilter({ subject: { id: subject.id, name: nameOfSubject({ subject }) } })}
        >
          {text.onlySubject}
        </Button>
      )}
      {actorId !== null && filters.actor?.id !== actorId && (
        <Button variant="default" onClick={() => onFilter({ actor: { id: actorId, name: nameOfActor(actor) } })}>
          {text.onlyActor}
        </Button>
      )}
    </Group>
  );
}

/** The details of an event, without the ids of what they name. */
export function fieldsOf({ subject, project, detail, address, requestId }: AuditEvent) {
  const isNamed = (key: string) => (key === 'projectId' ? project !== null : key.replace(/Id$/, '') in detail);
  return [
    [text.project, project?.name ?? null],
    ...Object.entries(detail)
      .filter(([key]) => !key.endsWith('Id') || !isNamed(key))
      .map(([key, value]) => [asWords(key), formatDetail(value)] as const),
    [text.subjectId, subject.id],
    [text.address, address],
    [text.requestId, requestId],
  ] as const satisfies readonly (readonly [label: string, value: string | null])[];
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

/** Name of the resource for people; its kind where it has none. */
export function nameOfSubject({ subject }: Pick<AuditEvent, 'subject'>): string {
  return subject.display ?? asWords(subject.kind);
}

function nameOfActor({ kind, display }: AuditEvent['actor']): string {
  return [text.actors[kind], display].filter(Boolean).join(' ');
}

/** The detail as text; null for what the event does not have. */
export function formatDetail(value: AuditEvent['detail'][string]): string | null {
  if (value === null || value === '') return null;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** Kinds of events, by the kind of their resource. */
const typeGroups = [...Map.groupBy(auditEventTypes, (type) => type.split('.', 1)[0] ?? '')].map(([kind, types]) => ({
  group: asWords(kind),
  items: types.map((type) => ({ value: type, label: asWords(type) })),
}));
