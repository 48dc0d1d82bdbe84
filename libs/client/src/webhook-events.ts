import { readEventStream, type EventStreamOptions } from './event-stream.js';

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
