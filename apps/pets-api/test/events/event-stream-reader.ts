import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { DomainHistoryEntry } from '@pets/contracts';
import { waitUntil } from '@pets/testing';

interface ReadEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: unknown;
}

/** A stream as it comes over the wire, read by hand: what the client makes of it is tested elsewhere. */
export interface StreamReader {
  readonly response: IncomingMessage;
  /** All that came so far. */
  text(): string;
  events(): readonly ReadEvent[];
  history(): DomainHistoryEntry[];
  /** Until something is so of what came. */
  until(isSo: () => boolean, message: string, timeoutMs?: number): Promise<void>;
  /** Until the stream ends. @returns whether it did so in good order, and did not break */
  untilEnd(timeoutMs: number): Promise<boolean>;
  /** Takes no more, and goes on later. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface StreamRequest {
  readonly key: string;
  readonly projectId: string;
  readonly lastEventId?: string | number;
}

/** Opens the stream of a project; an answer that is none is one for `request` to look at. */
export async function openStream(url: string, { key, projectId, lastEventId }: StreamRequest): Promise<StreamReader> {
  return readStream(`${url}/v1/projects/${projectId}/events`, {
    authorization: `Bearer ${key}`,
    ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }),
  });
}

/** Opens a stream by its URL. */
export async function readStream(url: string, headers: Readonly<Record<string, string>>): Promise<StreamReader> {
  const request = get(url, { headers: { accept: 'text/event-stream', ...headers }, agent: false });
  const [response] = (await once(request, 'response', { signal: AbortSignal.timeout(10_000) })) as [IncomingMessage];
  let text = '';
  let rest = '';
  const events: ReadEvent[] = [];
  // Each block is read once, when it is whole: there may be megabytes, and who waits looks every few milliseconds.
  const take = (chunk: string) => {
    text += chunk;
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    events.push(...blocks.flatMap(eventOf));
  };
  let over: 'ended' | 'broke' | null = null;
  response
    .setEncoding('utf8')
    .on('data', take)
    .on('end', () => (over = 'ended'))
    .on('error', () => (over = 'broke'));
  return {
    response,
    text: () => text,
    events: () => events,
    history: () => events.flatMap(({ event, data }) => (event === 'history' ? [data as DomainHistoryEntry] : [])),
    until: async (isSo, message, timeoutMs = 10_000) => {
      await waitUntil(isSo, { timeoutMs, message, intervalMs: 5 });
    },
    untilEnd: async (timeoutMs) => {
      await waitUntil(() => over !== null, { timeoutMs, message: 'the stream to end', intervalMs: 5 });
      return over === 'ended';
    },
    pause: () => void response.pause(),
    resume: () => void response.resume(),
    close: () => void response.destroy(),
  };
}

/** Comments are none. */
function eventOf(block: string): ReadEvent[] {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const),
  );
  const data = fields.get('data');
  return data === undefined ? [] : [{ id: fields.get('id'), event: fields.get('event'), data: JSON.parse(data) }];
}
