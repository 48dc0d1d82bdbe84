import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { originRow, type EdgeOrigin, type OriginTest } from '@pets/contracts/edge-feed';
import { waitUntil } from '@pets/testing';
import { EdgeFixture } from './edge-fixture.js';
import {
  buildForwardingFixture,
  endingOrigins,
  originRoute,
  startForwardingEdge,
  TestOrigin,
} from './forwarding-fixture.js';

let fixture: EdgeFixture;
const ending = endingOrigins();

beforeAll(async () => {
  fixture = await buildForwardingFixture();
});
afterAll(() => fixture.tearDown());

async function origin(...answer: Parameters<typeof TestOrigin.http>): Promise<TestOrigin> {
  const started = await TestOrigin.http(...answer);
  ending.push(started);
  return started;
}

const reported = (id: string): readonly OriginTest[] =>
  fixture.api.acks.flatMap(({ originTests = [] }) => originTests.filter((test) => test.origin === id));

async function resultOf(id: string, url: string, more: Partial<EdgeOrigin> = {}): Promise<OriginTest | undefined> {
  const { test = 1 } = more;
  await fixture.api.publishAndSettle({ [originRow(id)]: originRoute(url, { test, ...more }) });
  const ofNumber = () => reported(id).find((result) => result.test === test);
  await waitUntil(() => ofNumber() !== undefined, { message: `test ${test} of ${id} is reported`, timeoutMs: 15_000 });
  return ofNumber();
}

describe('a test of an origin', () => {
  it('is one request for each number, with what was seen in an acknowledgement', async () => {
    const app = await origin((_request, response) => response.writeHead(404).end('nothing here'));
    expect(await resultOf('one', app.url)).toEqual({
      ...{ origin: 'one', test: 1, status: 404, failure: null, address: '127.0.0.1' },
      durationMs: expect.any(Number),
    });
    expect(app.requests.map(({ url, headers }) => [url, headers['user-agent'], headers.host])).toEqual([
      ['/', 'pets-origin-test/1.0', `127.0.0.1:${app.port}`],
    ]);
    await resultOf('one', app.url, { test: 2 });
    await fixture.api.publishAndSettle({ [originRow('one')]: originRoute(app.url, { test: 2, maxConnections: 5 }) });
    expect(app.requests).toHaveLength(2);
    await waitUntil(() => app.sockets.size === 0, { message: 'its connections are closed' });
  });

  it('is in the acknowledgements until one is committed', async () => {
    const app = await origin((_request, response) => response.end());
    await resultOf('confirmed', app.url);
    const { acks } = fixture.api;
    await waitUntil(() => acks.at(-1)?.originTests === undefined, { message: 'it is not reported any more' });
  });

  it.each<[name: string, url: string, failure: { code: string; detail: unknown }]>([
    ['no address', 'https://no-such-name.invalid', { code: 'dns', detail: expect.stringContaining('no-such-name') }],
    ['nothing listens', 'http://127.0.0.1:1', { code: 'connection', detail: expect.stringContaining('ECONNREFUSED') }],
    [
      'a name of the platform',
      'https://x.pets.test',
      { code: 'loop', detail: 'x.pets.test is a name of this platform' },
    ],
  ])('says why there was no answer: %s', async (name, url, failure) => {
    expect(await resultOf(name, url)).toMatchObject({ status: null, failure, address: null });
  });

  it('ends after 10 s', async () => {
    const app = await origin(() => undefined);
    const result = await resultOf('slow', app.url, { timeouts: { connect: 30, answer: 300, idle: 300 } });
    expect(result).toMatchObject({ status: null, failure: { code: 'timeout' }, address: '127.0.0.1' });
  }, 30_000);
});

describe('an edge that joins', () => {
  it('tests nothing of its snapshot, but what the API asks for again: the first edge answers', async () => {
    const app = await origin((_request, response) => response.end());
    const joining = await EdgeFixture.build();
    joining.api.publish({ [originRow('waiting')]: originRoute(app.url, { test: 1 }) });
    joining.api.compact();
    await startForwardingEdge(joining);
    await joining.api.acknowledged(joining.api.version);
    expect(joining.api.snapshotsSent).toEqual([joining.api.version]);
    // The API repeats a test that has no result, with the next number.
    await joining.api.publishAndSettle({ [originRow('waiting')]: originRoute(app.url, { test: 2 }) });
    const results = () => joining.api.acks.flatMap(({ originTests = [] }) => originTests);
    await waitUntil(() => results().length > 0, { message: 'the test is reported' });
    expect(results()[0]).toMatchObject({ origin: 'waiting', test: 2, status: 200, failure: null });
    expect(app.requests).toHaveLength(1);
    await joining.tearDown();
  });
});
