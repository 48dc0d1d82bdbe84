import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { freePort, testQueueKeys } from '@pets/testing';
import { CaAccounts } from '../src/certificate-authority/ca-accounts.js';
import { RenewalInfoService } from '../src/renewal/renewal-info.service.js';
import { makeAccountKey } from './certificates.js';
import { recordEvents } from './recorded-events.js';
import { directory, problem, startScriptedCa, type Script, type Scripted, type ScriptedCa } from './scripted-ca.js';

const certificateIdentifier = 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE';
const at = `/ari/${certificateIdentifier}`;
const able: Script = { '/dir': [{ body: { ...directory, renewalInfo: '{ca}/ari' } }] };
const suggestion = (start: string, end: string, extra: object = {}): Scripted => ({
  body: { suggestedWindow: { start, end }, ...extra },
});
const nothing = { window: null, explanationUrl: null, retryAt: null };

async function ask(directoryUrl: string, signal = AbortSignal.timeout(10_000)) {
  const { sender, events } = recordEvents();
  const accounts = new CaAccounts({
    ACME_ACCOUNT_KEY: [makeAccountKey()],
    ACME_EAB: [],
    ACME_CAA_IDENTITIES: [],
    ACME_DIRECTORY_URLS: [directoryUrl],
    ...testQueueKeys,
    DNS_ALLOW_PRIVATE_AUTHORITATIVE: false,
    DNS_RESOLVERS_HOLD_ZONES: false,
    DNS_AUTHORITATIVE_ADDRESSES: new Map(),
    HTTP01_PORT: 80,
    HEALTH_PORT: 0,
    WORKER_CONCURRENCY: 1,
    WEBHOOK_CONCURRENCY: 1,
    ALLOW_PRIVATE_WEBHOOK_TARGETS: false,
    LOG_LEVEL: 'silent',
  });
  const service = new RenewalInfoService(accounts, sender);
  const leaseUntil = new Date(Date.now() + 20_000).toISOString();
  const fence = { domainId: randomUUID(), generation: 3, attempt: 2 };
  await service.fetch({ ...fence, leaseUntil, directoryUrl, certificateIdentifier }, signal);
  const [event] = events;
  if (events.length !== 1 || event?.name !== 'renewal_info.fetched') throw new Error('one event was expected');
  expect(event.payload).toMatchObject({ ...fence, directoryUrl, certificateIdentifier });
  return event.payload;
}

describe('renewal information', () => {
  let ca: ScriptedCa;
  afterEach(() => ca.stop());

  async function askCaThatSays(...answers: Scripted[]) {
    ca = await startScriptedCa({ ...able, [at]: answers });
    return ask(ca.directoryUrl);
  }

  it('has the window, the page that explains it, and the next poll', async () => {
    const explanationURL = 'https://ca.test/incident';
    const suggested = suggestion('2027-01-03T02:00:00+02:00', '2027-01-07T00:00:00Z', { explanationURL });
    const before = Date.now();
    const info = await askCaThatSays({ ...suggested, headers: { 'retry-after': '21600' } });
    expect(info).toMatchObject({
      window: { start: '2027-01-03T00:00:00.000Z', end: '2027-01-07T00:00:00.000Z' },
      explanationUrl: explanationURL,
      problem: null,
    });
    expect(Date.parse(info.retryAt ?? '') - before).toBeGreaterThanOrEqual(21_600_000);
    expect(ca.requestedPaths()).toEqual(['/dir', at]);
  });

  it.each([
    ['a minute at least', '1', 60_000],
    ['a day at most', '9999999', 86_400_000],
  ])('is asked again after %s', async (_case, retryAfter, afterMs) => {
    const now = Date.now();
    const suggested = suggestion('2027-01-03T00:00:00Z', '2027-01-07T00:00:00Z');
    const { retryAt } = await askCaThatSays({ ...suggested, headers: { 'retry-after': retryAfter } });
    expect(Date.parse(retryAt ?? '') - now).toBeGreaterThanOrEqual(afterMs);
    expect(Date.parse(retryAt ?? '') - now).toBeLessThan(afterMs + 10_000);
  });

  it('has no next poll if the CA names none', async () => {
    expect((await askCaThatSays(suggestion('2027-01-03T00:00:00Z', '2027-01-07T00:00:00Z'))).retryAt).toBeNull();
  });

  it('drops an explanation that is not a web page', async () => {
    const suggested = suggestion('2027-01-03T00:00:00Z', '2027-01-07T00:00:00Z', { explanationURL: 'javascript:1' });
    expect((await askCaThatSays(suggested)).explanationUrl).toBeNull();
  });

  it('is empty if the CA does not offer it', async () => {
    ca = await startScriptedCa({ '/dir': [{ body: directory }] });
    expect(await ask(ca.directoryUrl)).toMatchObject({ ...nothing, problem: null });
  });

  it.each<[string, Scripted, object]>([
    ['does not know the certificate', problem('malformed', 404), { status: 404, detail: 'malformed it is' }],
    ['is broken', { status: 503 }, { status: 503 }],
    ['shows a page', { headers: { 'content-type': 'text/html' }, body: '<html>' }, { type: null, status: 200 }],
    ['says something else', { body: { suggestedWindow: { start: 'soon' } } }, { type: null, status: 200 }],
    [
      'suggests a window without length',
      suggestion('2027-01-03T00:00:00Z', '2027-01-03T00:00:00Z'),
      { detail: expect.stringContaining('a window from') },
    ],
    [
      'suggests a window that ends before it begins',
      suggestion('2027-01-03T00:00:00Z', '2027-01-02T00:00:00Z'),
      { detail: expect.stringContaining('a window from') },
    ],
    ['leads elsewhere', { status: 302, headers: { location: '{ca}/other' } }, { status: 302 }],
  ])('is a problem where the CA %s', async (_case, answer, expected) => {
    expect(await askCaThatSays(answer)).toMatchObject({ ...nothing, problem: expected });
  });

  it('has the retry time of a CA that limits requests', async () => {
    const now = Date.now();
    const info = await askCaThatSays({ ...problem('rateLimited', 429), headers: { 'retry-after': '600' } });
    expect(Date.parse(info.retryAt ?? '') - now).toBeGreaterThanOrEqual(600_000);
    expect(info.problem).toMatchObject({ status: 429 });
  });

  it('has the problem of a CA that is down or too slow', async () => {
    ca = await startScriptedCa({});
    const away = `http://127.0.0.1:${await freePort()}/dir`;
    expect((await ask(away)).problem?.detail).toContain('ECONNREFUSED');
    const late = AbortSignal.abort(new Error('timed out after 10000 ms'));
    expect((await ask(ca.directoryUrl, late)).problem?.detail).toBe('timed out after 10000 ms');
  });
});
