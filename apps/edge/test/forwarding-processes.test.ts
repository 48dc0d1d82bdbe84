import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { originRow } from '@pets/contracts/edge-feed';
import { waitUntil } from '@pets/testing';
import { EdgeFixture } from './edge-fixture.js';
import { applicationRoute, originRoute, TestOrigin } from './forwarding-fixture.js';

const HOST = 'app.pets.test';

let fixture: EdgeFixture;
let origin: TestOrigin;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  origin = await TestOrigin.http((request, response) => response.end(request.headers['x-secret'] ?? 'none'));
  await fixture.startProcesses({ EDGE_PROCESSES: '2', EDGE_ALLOW_PRIVATE_ORIGINS: 'true' });
});
afterAll(async () => {
  await origin.close();
  await fixture.tearDown();
});

it('an edge in processes of its own tests an origin once, and forwards with its sealed headers', async () => {
  const sealedHeaders = fixture.sealHeaders('app', { 'X-Secret': 'right' });
  await fixture.api.publishAndSettle({
    [originRow('app')]: originRoute(origin.url, { test: 1, sealedHeaders }),
    [HOST]: applicationRoute('app'),
  });
  const reported = () => fixture.api.acks.flatMap(({ originTests = [] }) => originTests);
  await waitUntil(() => reported().length > 0, { message: 'the test is reported' });
  expect(reported()[0]).toMatchObject({ origin: 'app', test: 1, status: 200, failure: null });
  const replies = Array.from({ length: 8 }, () => fixture.visitor.secure(HOST, { headers: { 'x-secret': 'wrong' } }));
  expect((await Promise.all(replies)).map(({ body }) => body)).toEqual(replies.map(() => 'right'));
  const tests = origin.requests.filter(({ headers }) => headers['user-agent'] === 'pets-origin-test/1.0');
  expect(tests.map(({ headers }) => headers['x-secret'])).toEqual(['right']);
});
