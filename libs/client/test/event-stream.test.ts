import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventStreamRefused, readProjectEvents, type ProjectEvent } from '../src/index.js';

/** The answers to connections, in order. A further connection is answered 418, which fails the test. */
type Answer = (response: ServerResponse) => void;

let server: Server;
let asked: IncomingMessage[];
let askedAt: number[];
let answers: Answer[];

beforeEach(async () => {
  [asked, askedAt, answers] = [[], [], []];
  server = createServer((request, response) => {
    asked.push(request);
    askedAt.push(performance.now());
    (answers.shift() ?? ((unexpected) => unexpected.writeHead(418).end()))(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const stream =
  (text: string, then: 'ends' | 'breaks' | 'stays' = 'ends'): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(text, () => {
      if (then === 'ends') response.end();
      if (then === 'breaks') response.destroy();
    });
  };
const refuse =
  (status: number, body = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

const line = (id: string, detail = 'x') => `id: ${id}\nevent: history\ndata: {"number":${id},"detail":"${detail}"}\n\n`;
const ready = (id: string) => `retry: 20\nid: ${id}\nevent: ready\ndata: {"number":${id}}\n\n`;

/** Reads until so many events have come. */
async function read(count: number, lastEventId?: string): Promise<ProjectEvent[]> {
  const { port } = server.address() as AddressInfo; // it listens at a port
  const events: ProjectEvent[] = [];
  const options = { baseUrl: `http://127.0.0.1:${port}/`, apiKey: 'k', projectId: 'p/1', signal: limit() };
  for await (const event of readProjectEvents({ ...options, ...(lastEventId !== undefined && { lastEventId }) }))
    if (events.push(event) === count) break;
  return events;
}

const limit = () => AbortSignal.timeout(10_000);

describe('the events of a project', () => {
  it('are requested with the key and parsed by type', async () => {
    answers = [stream(`${ready('4')}${line('5')}event: changed\ndata: {"domainId":"d"}\n\n`, 'stays')];
    expect(await read(3)).toEqual([
      { type: 'ready', number: 4 },
      { type: 'history', id: '5', entry: { number: 5, detail: 'x' } },
      { type: 'changed', domainId: 'd' },
    ]);
    expect(asked[0]?.url).toBe('/v1/projects/p%2F1/events');
    expect(asked[0]?.headers).toMatchObject({ authorization: 'Bearer k', accept: 'text/event-stream' });
    expect(asked[0]?.headers).not.toHaveProperty('last-event-id');
  });

  it('keep every digit of their numbers', async () => {
    answers = [stream(`${ready('9007199254740993')}${line('9223372036854775807')}`)];
    expect(await read(2)).toEqual([
      { type: 'ready', number: 9007199254740993n },
      { type: 'history', id: '9223372036854775807', entry: { number: 9223372036854775807n, detail: 'x' } },
    ]);
  });

  it.each(['ends', 'breaks'] as const)('go on behind the last one when the stream %s', async (how) => {
    answers = [stream(ready('4') + line('5'), how), stream(ready('5'), how), stream(ready('5') + line('6'), 'stays')];
    const events = await read(5);
    expect(events.map(({ type }) => type)).toEqual(['ready', 'history', 'ready', 'ready', 'history']);
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '5', '5']);
  });

  it('begin behind the event that is asked for, also when the first connection fails', async () => {
    answers = [(response) => response.destroy(), stream(ready('3'), 'stays')];
    await read(1, '3');
    expect(asked.map(({ headers }) => headers['last-event-id'])).toEqual(['3', '3']);
  });

  it('that this client does not know are passed over', async () => {
    answers = [stream(`event: news\ndata: {}\n\n${ready('1')}`, 'stays')];
    expect(await read(1)).toEqual([{ type: 'ready', number: 1 }]);
  });

  it('are asked for as late as the stream says, later each time it fails', async () => {
    answers = [stream(ready('1')), refuse(503), refuse(500), refuse(502), refuse(408), stream(ready('1'), 'stays')];
    await read(2);
    const pauses = askedAt.slice(1).map((at, index) => at - (askedAt[index] ?? 0));
    [20, 20, 40, 80, 160].forEach((least, index) => expect(pauses[index]).toBeGreaterThanOrEqual(least - 2));
    expect(pauses[0]).toBeLessThan(500);
  });

  it('are asked for after Retry-After when there were too many requests', async () => {
    answers = [refuse(429, '', { 'retry-after': '2' }), stream(ready('1'), 'stays')];
    await read(1);
    expect((askedAt[1] ?? 0) - (askedAt[0] ?? 0)).toBeGreaterThanOrEqual(1_990);
  });

  it.each([400, 401, 403, 404])('are not asked for again after %i', async (status) => {
    const error = { code: 'some_code', message: 'It is so.', status };
    answers = [refuse(status, JSON.stringify(error))];
    const refusal = await read(1).catch((thrown: unknown) => thrown);
    expect(refusal).toBeInstanceOf(EventStreamRefused);
    expect(refusal).toMatchObject({ status, code: 'some_code', message: 'It is so.' });
    expect(asked).toHaveLength(1);
  });

  it('are not taken from what is no stream', async () => {
    answers = [refuse(200, '<p>Log in</p>', { 'content-type': 'text/html' })];
    await expect(read(1)).rejects.toMatchObject({ status: 200, code: null });
  });

  it('end when the reader stops, and so does the connection', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    answers = [
      (response) => {
        closed = once(response, 'close');
        stream(ready('1'), 'stays')(response);
      },
    ];
    await read(1);
    await closed;
    expect(asked).toHaveLength(1);
  });

  it.each(['while it is open', 'while it waits'])('end when the signal fires %s', async (when) => {
    const abort = new AbortController();
    answers = [when === 'while it is open' ? stream(ready('1'), 'stays') : refuse(503, '', { 'retry-after': '9' })];
    const { port } = server.address() as AddressInfo; // it listens at a port
    const options = { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'k', projectId: 'p', signal: abort.signal };
    const stop = setTimeout(() => abort.abort(), 200);
    for await (const event of readProjectEvents(options)) expect(event.type).toBe('ready');
    clearTimeout(stop);
    expect(abort.signal.aborted).toBe(true);
    expect(asked).toHaveLength(1);
  });
});
