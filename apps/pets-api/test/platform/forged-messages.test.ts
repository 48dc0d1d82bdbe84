import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainEvents } from '@pets/contracts';
import { openMessaging, type Messaging } from '@pets/messaging';
import { freePort, waitUntil, testAuthentication } from '@pets/testing';
import { directoryUrl, startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { scrape } from '../operations/scrape.js';
import { attemptOf, matchingFindings } from '../scripted-worker.js';

const keyOf = (id: string, fill: number) => ({ activeId: id, keys: new Map([[id, Buffer.alloc(32, fill)]]) });
const silent = () => undefined;
const log = { info: silent, warn: silent, error: silent };

/** Somebody who can write to the store of the queues: with the keys of the worker, or with keys of their own. */
function writeTo(fixture: DomainFixture, hasKeys: boolean, now?: () => Date): Messaging {
  const authentication = hasKeys ? testAuthentication : { ...testAuthentication, eventKeys: keyOf('e9', 9) };
  return openMessaging({ databaseUrl: fixture.api.databaseUrl, authentication, log, ...(now && { now }) });
}

/** Says that DNS shows what it has to, of a domain whose owner has created no record. */
async function forgeCheck(fixture: DomainFixture, as: Messaging): Promise<string> {
  const { id } = await fixture.add(fixture.freshName());
  const job = await fixture.worker.nextJob('verify-dns', id);
  await as.events.emit('dns.checked', { ...attemptOf(job), findings: matchingFindings(job.expected) });
  return id;
}

describe('an event that somebody wrote into the queue', () => {
  let fixture: DomainFixture;
  let metricsUrl: string;
  let intruder: Messaging;

  beforeAll(async () => {
    const port = await freePort();
    metricsUrl = `http://127.0.0.1:${port}`;
    fixture = await startDomainFixture(undefined, { HOST: '127.0.0.1', METRICS_PORT: String(port) });
    intruder = writeTo(fixture, false);
  });
  afterAll(async () => {
    await intruder.close();
    await fixture.close();
  });

  const dropped = async (reason: string) =>
    (await scrape(metricsUrl)).value('pets_messages_dropped_total', { queue: 'domain-events', reason });

  const handled = async () => {
    const labels = { event: 'dns.checked', result: 'handled' };
    return (await scrape(metricsUrl)).value('pets_event_handling_duration_seconds_count', labels) ?? 0;
  };

  it('is dropped and counted, and that of the worker counts as ever', async () => {
    const before = (await dropped('unknown_key')) ?? 0;
    const id = await forgeCheck(fixture, intruder);
    await waitUntil(async () => (await dropped('unknown_key')) === before + 1);
    expect((await fixture.get(id)).state).toBe('awaiting_dns');
    await fixture.verified();
  });

  it('is dropped when it has the keys of the other direction', async () => {
    const authentication = { ...testAuthentication, eventKeys: keyOf('e1', 1) };
    const reflected = openMessaging({ databaseUrl: fixture.api.databaseUrl, authentication, log });
    const before = (await dropped('mismatch')) ?? 0;
    const id = await forgeCheck(fixture, reflected);
    await waitUntil(async () => (await dropped('mismatch')) === before + 1);
    expect((await fixture.get(id)).state).toBe('awaiting_dns');
    await reflected.close();
  });

  it('changes nothing when it is one of the worker’s, kept and sent again', async () => {
    const { id } = await fixture.add(fixture.freshName());
    const job = await fixture.worker.nextJob('verify-dns', id);
    const checked = { ...attemptOf(job), findings: matchingFindings(job.expected) };
    await fixture.api.messaging.events.emit('dns.checked', checked);
    await fixture.untilState(id, 'verified');
    const [before, count] = [await history(fixture, id), await handled()];
    const nothing = { ...checked, findings: { ...checked.findings, lookups: [] } };
    for (const replayed of [checked, nothing]) await fixture.api.messaging.events.emit('dns.checked', replayed);
    await waitUntil(async () => (await handled()) === count + 2);
    expect(await history(fixture, id)).toEqual(before);
    expect((await fixture.get(id)).state).toBe('verified');
  });

  it('of an account does not undo a later one, in whatever order they come', async () => {
    const minutesAgo = (count: number) => new Date(Date.now() - count * 60_000);
    const announce = async (at: Date, thumbprint: string, ca = directoryUrl) => {
      const worker = writeTo(fixture, true, () => at);
      const event: DomainEvents['account.ready'] = {
        directoryUrl: ca,
        accountUrl: `${ca}/${thumbprint}`,
        thumbprint,
      };
      await worker.events.emit('account.ready', event);
      await worker.close();
    };
    const now = new Date(Date.now() + 60_000);
    await announce(now, 'newest');
    await waitUntil(async () => (await accounts(fixture)).thumbprint === 'newest');
    await announce(minutesAgo(10), 'replaced');
    // A CA of which nothing was ever applied: its announcement was held back.
    await announce(minutesAgo(10), 'replaced', 'http://other-ca.test/dir');
    await waitUntil(async () => (await accounts(fixture)).urls.includes('http://other-ca.test/dir/replaced'));
    expect(await accounts(fixture)).toEqual({
      thumbprint: 'newest',
      urls: [`${directoryUrl}/newest`, 'http://other-ca.test/dir/replaced'],
    });
    await announce(now, 'newest'); // handled once more, as after a failure
    await announce(new Date(now.getTime() + 1), 'newer');
    await waitUntil(async () => (await accounts(fixture)).thumbprint === 'newer');
  });
});

async function history(fixture: DomainFixture, id: string): Promise<string> {
  return (await fixture.api.request('GET', `${fixture.path()}/${id}/events`, { key: fixture.key })).text;
}

/** The thumbprint that edges get, and the accounts that were announced, by CA. */
async function accounts(fixture: DomainFixture) {
  const { thumbprint } = await fixture.api.db.selectFrom('edge_feed').select('thumbprint').executeTakeFirstOrThrow();
  const rows = await fixture.api.db
    .selectFrom('acme_accounts')
    .select('account_url')
    .orderBy('directory_url')
    .execute();
  return { thumbprint, urls: rows.map(({ account_url }) => account_url) };
}
