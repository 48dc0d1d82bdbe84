import { readEventStream, type EventStreamOptions, type ServerSentEvent } from './event-stream.js';
import { parseExactly } from './exact-json.js';
import type { components } from './schema.js';

/** An event of a project. */
export type ProjectEvent =
  /** The stream is open and continues after this line of the history. Earlier `changed` events may have been missed. */
  | { readonly type: 'ready'; readonly number: number | bigint }
  /** A line of the history; `id` is for `lastEventId`. */
  | { readonly type: 'history'; readonly id: string; readonly entry: components['schemas']['DomainHistoryEntry'] }
  /** A domain has changed without a line in its history: read it again. */
  | { readonly type: 'changed'; readonly domainId: string }
  /** An import of domains has changed: read it again. */
  | { readonly type: 'import'; readonly importId: string }
  /** The application of the project was changed or tested, fails, or is restored: read it again. */
  | { readonly type: 'origin'; readonly originId: string };

export interface ProjectEventsOptions extends EventStreamOptions {
  readonly projectId: string;
  /** Continue after this event; `0` for the complete history. The default is to start now. */
  readonly lastEventId?: string;
}

/**
 * Streams the events of a project. A stream that ends or breaks is opened again after the last received event, with an
 * increasing delay. Each line of the history is received once and in order, and `ready` with every connection.
 * @throws EventStreamRefused
 * @example
 * for await (const event of readProjectEvents({ baseUrl, apiKey, projectId, signal }))
 *   if (event.type === 'history') console.log(event.entry.detail);
 */
export async function* readProjectEvents(options: ProjectEventsOptions): AsyncGenerator<ProjectEvent, void, void> {
  const { projectId, lastEventId } = options;
  const path = `/v1/projects/${encodeURIComponent(projectId)}/events`;
  for await (const event of readEventStream(options, { path, lastEventId })) {
    const projectEvent = projectEventOf(event);
    if (projectEvent !== null) yield projectEvent;
  }
}

/** Parses an event of the API. Unknown types, of newer versions, are ignored. */
function projectEventOf({ type, data, lastEventId }: ServerSentEvent): ProjectEvent | null {
  if (type === 'ready') return { type, number: (parseExactly(data) as { number: number | bigint }).number };
  if (type === 'changed') return { type, domainId: (parseExactly(data) as { domainId: string }).domainId };
  if (type === 'origin') return { type, originId: (parseExactly(data) as { originId: string }).originId };
  if (type === 'import') return { type, importId: (parseExactly(data) as { importId: string }).importId };
  if (type !== 'history') return null;
  return { type, id: lastEventId, entry: parseExactly(data) as components['schemas']['DomainHistoryEntry'] };
}

/** An event of a stream of webhook events. */
export type WebhookStreamEvent =
  /** The stream is open. Events before it are not sent. `secret` signs its deliveries. */
  | { readonly type: 'listening'; readonly id: string; readonly secret: string }
  /** A request as an endpoint would receive it: its headers, and its body exactly as it is signed. */
  | {
      readonly type: 'delivery';
      readonly id: string;
      readonly eventType: string;
      readonly subjectId: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    };

export interface WebhookEventsOptions extends EventStreamOptions {
  /** The default is all. */
  readonly eventTypes?: readonly string[];
  /** Only events about domains of this project. */
  readonly projectId?: string;
}

/**
 * Streams webhook events, as a temporary endpoint. A stream that ends or breaks is opened again; it misses the events until
 * it is `listening`.
 * @throws EventStreamRefused
 */
export async function* readWebhookEvents(
  options: WebhookEventsOptions,
): AsyncGenerator<WebhookStreamEvent, void, void> {
  const { eventTypes, projectId } = options;
  const query = new URLSearchParams({
    ...(eventTypes !== undefined && { eventTypes: eventTypes.join(',') }),
    ...(projectId !== undefined && { projectId }),
  });
  for await (const { type, data } of readEventStream(options, { path: `/v1/webhook-listeners?${query.toString()}` })) {
    if (type !== 'listening' && type !== 'delivery') continue; // of a newer version
    const { type: eventType = '', ...values } = JSON.parse(data) as Readonly<Record<string, string>>;
    yield (type === 'listening' ? { ...values, type } : { ...values, type, eventType }) as WebhookStreamEvent; // by the API's contract
  }
}
