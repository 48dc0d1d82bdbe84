import { createParser } from 'eventsource-parser';

/** One event of a stream (WHATWG HTML §9.2.6). */
export interface ServerSentEvent {
  /** `message` when the stream does not say. */
  readonly type: string;
  readonly data: string;
  /** The newest id of the stream, of this event or an earlier one; empty when there is none. */
  readonly lastEventId: string;
}

/** Far more than the longest event of the API. */
const MAX_EVENT_LENGTH = 1024 * 1024;

/** Parses a stream of server-sent events, and remembers its last event id and its reconnection time. */
export class EventStreamParser {
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_LENGTH,
    onEvent: ({ event: type = 'message', data, id: lastEventId = this.#lastEventId }) => {
      this.#lastEventId = lastEventId;
      this.#events.push({ type, data, lastEventId });
    },
    onRetry: (retryMs) => (this.#retryMs = retryMs),
    onError: (error) => {
      // Other errors are fields that the standard says to ignore.
      if (error.type === 'max-buffer-size-exceeded') throw error;
    },
  });
  #events: ServerSentEvent[] = [];
  #lastEventId: string;
  #retryMs: number | null = null;

  /** @param lastEventId the event after which the stream continues */
  constructor(lastEventId = '') {
    this.#lastEventId = lastEventId;
  }

  /** How long the stream says to wait before a reconnection, in milliseconds. */
  get retryMs(): number | null {
    return this.#retryMs;
  }

  /** @throws Error when an event is longer than any of the API */
  push(text: string): readonly ServerSentEvent[] {
    this.#parser.feed(text);
    const events = this.#events;
    this.#events = [];
    return events;
  }
}
