/** One event of a stream (WHATWG HTML §9.2.6). */
export interface ServerSentEvent {
  /** `message` when the stream does not say. */
  readonly type: string;
  readonly data: string;
  /** The newest id the stream has given, with this event or before; empty when it has given none. */
  readonly lastEventId: string;
}

/** Far beyond any event of ours: what is longer is no stream of events. */
const MAX_UNFINISHED_LENGTH = 1024 * 1024;

/**
 * Takes a stream of events apart, whatever its chunks: an event comes out with the blank line that ends it; where lines end
 * with a bare CR, with what follows that.
 */
export class EventStreamParser {
  private rest = '';
  private type = '';
  private data: string[] = [];
  private id: string;
  private retry: number | null = null;

  /** @param lastEventId what the stream goes on behind */
  constructor(lastEventId = '') {
    this.id = lastEventId;
  }

  /** How long to wait before coming back, in milliseconds, when the stream has said so. */
  get retryMs(): number | null {
    return this.retry;
  }

  /** @throws Error when an event is longer than any of ours can be */
  push(text: string): ServerSentEvent[] {
    this.rest += text;
    const events: ServerSentEvent[] = [];
    for (let line = this.takeLine(); line !== null; line = this.takeLine()) {
      if (line !== '') this.takeField(line);
      else events.push(...this.dispatch());
    }
    const unfinished = this.data.reduce((length, line) => length + line.length, this.rest.length);
    if (unfinished > MAX_UNFINISHED_LENGTH) throw new Error('the stream of events has an event without end');
    return events;
  }

  /** After a CR at the end of a chunk its LF may still come. */
  private takeLine(): string | null {
    const end = /\r\n|\n|\r(?!$)/.exec(this.rest);
    if (end === null) return null;
    const line = this.rest.slice(0, end.index);
    this.rest = this.rest.slice(end.index + end[0].length);
    return line;
  }

  private takeField(line: string): void {
    const colon = line.indexOf(':');
    if (colon === 0) return; // a comment
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.type = value;
    if (name === 'data') this.data.push(value);
    if (name === 'id' && !value.includes('\0')) this.id = value;
    if (name === 'retry' && /^\d+$/.test(value)) this.retry = Number(value);
  }

  private dispatch(): ServerSentEvent[] {
    const { type, data, id } = this;
    this.type = '';
    this.data = [];
    return data.length === 0 ? [] : [{ type: type === '' ? 'message' : type, data: data.join('\n'), lastEventId: id }];
  }
}
