import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { matchingFindings } from '../scripted-worker.js';

type Line = Readonly<Record<string, unknown>>;

const lines: Line[] = [];
let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await startDomainFixture(
    createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as Line) }),
  );
});
afterAll(() => fixture.close());

const line = (wanted: Line) =>
  waitUntil(() => lines.find((entry) => Object.entries(wanted).every(([field, value]) => entry[field] === value)), {
    message: JSON.stringify(wanted),
  });

it('log lines have the request id, and its later effects domain and generation', async () => {
  const { id: domainId } = await fixture.add(fixture.freshName());
  const path = `${fixture.path()}/${domainId}`;
  const headers = { 'x-request-id': 'the-removal', traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
  await fixture.check(domainId, matchingFindings);
  await line({ msg: 'event', event: 'dns.checked', domainId, generation: 1, attempt: 1, result: 'handled' });
  await line({ msg: 'domain changed', domainId, generation: 1, from: 'awaiting_dns', to: 'verified' });

  await fixture.api.request('DELETE', path, { key: fixture.key, headers });
  const changed = await line({ msg: 'domain changed', domainId, requestId: 'the-removal', to: 'removed' });
  expect(changed).toMatchObject({ traceId: 'a'.repeat(32), trigger: 'owner.removed' });
  expect(await line({ msg: 'request', requestId: 'the-removal' })).toMatchObject({ status: expect.any(Number) });
});

it('log lines after a body have the request id', async () => {
  const headers = { 'x-request-id': 'with-a-body' };
  await fixture.api.request('POST', fixture.path(), { key: fixture.key, headers, body: { name: fixture.freshName() } });
  await line({ msg: 'domain changed', requestId: 'with-a-body', to: 'awaiting_dns' });
});

it('log lines of batches have no request id', async () => {
  const found = lines.filter(({ msg, trigger }) => msg === 'domain changed' && trigger === 'dns.checked');
  expect(found.length).toBeGreaterThan(0);
  for (const entry of found) expect(entry).not.toHaveProperty('event');
});
