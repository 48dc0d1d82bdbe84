import { describe, expect, it } from '@jest/globals';
import { readProjectEvents, type ProjectEvent } from './events.js';

/** A `fetch` that ignores aborts, like the real one after its signal was garbage collected. */
function fetchIgnoringAborts(answer: (request: Request) => Promise<Response>) {
  const asked: Request[] = [];
  const ask = (request: Request) => {
    asked.push(request);
    return answer(request);
  };
  return { asked, ask };
}

function read(ask: (request: Request) => Promise<Response>) {
  const abort = new AbortController();
  const received: ProjectEvent[] = [];
  const listen = async () => {
    const options = { baseUrl: 'http://api.test', apiKey: 'key', projectId: 'prj', signal: abort.signal, fetch: ask };
    for await (const event of readProjectEvents(options)) {
      received.push(event);
      abort.abort();
    }
  };
  return { abort, received, reading: listen() };
}

describe('readProjectEvents', () => {
  it('ends at an abort while it waits for events, even if fetch ignores the signal', async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => stream.enqueue(new TextEncoder().encode('event: ready\ndata: {"number":4}\n\n')),
      cancel: () => void (isCancelled = true),
    });
    const { ask } = fetchIgnoringAborts(
      async () => new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    );
    const { received, reading } = read(ask);
    await reading;
    expect(received).toEqual([{ type: 'ready', number: 4 }]);
    expect(isCancelled).toBe(true);
  });

  it('ends at an abort while it waits for the response', async () => {
    const { ask, asked } = fetchIgnoringAborts(() => new Promise<Response>(() => undefined));
    const { abort, received, reading } = read(ask);
    abort.abort();
    await reading;
    expect(asked).toHaveLength(1);
    expect(received).toEqual([]);
  });
});
