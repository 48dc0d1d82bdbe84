/** A name that is live elsewhere gets its certificate here, is switched, and is served at once, on a complete stack. */
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { openDevRecords, type DevRecords } from '@pets/dev-stack';
import { waitUntil } from '@pets/testing';
import pg from 'pg';
import { addDomain, at, getDomain } from './domain-steps.js';
import { openShared, type StackFixture } from './stack-fixtures.js';

jest.setTimeout(180_000);

const NAME = 'docs.moving-here.com';

let records: DevRecords;
let owner: StackFixture;
let database: pg.Client;

beforeAll(async () => {
  owner = await openShared();
  const { dev } = owner.stack;
  records = openDevRecords(dev);
  database = new pg.Client({ connectionString: dev.databaseUrl });
  await database.connect();
});
afterAll(() => database?.end());

/** Makes the state after the polling has ended: the next check is an hour away. */
async function endPolling(): Promise<void> {
  await database.query(
    `update domains set requested_at = now() - interval '3 days', checked_at = now() - interval '1 hour' where name = $1`,
    [NAME],
  );
  await database.query(
    `update domain_work set due_at = now() + interval '1 hour', checked_at = null
    where kind = 'dns' and domain_id = (select id from domains where name = $1)`,
    [NAME],
  );
}

async function countOrders(): Promise<number> {
  const { rows } = await database.query('select from certificates where name = $1 and ordered', [NAME]);
  return rows.length;
}

describe('a name that points to another host, with its challenges delegated', () => {
  it('becomes ready, is switched, and is served at once, with one order', async () => {
    await records.put({ name: NAME, type: 'A', data: '192.0.2.9' });
    const target = await addDomain(owner, NAME);
    const { records: required, readiness } = await getDomain(owner, NAME);
    expect(readiness?.state).toBe('waiting');
    const delegation = required.find(({ purpose }) => purpose === 'delegation');
    expect(delegation).toMatchObject({ type: 'CNAME', name: '_acme-challenge.docs', optional: true });
    await expect(owner.visitor.visit(NAME)).rejects.toThrow();

    await owner.createRecord(`_acme-challenge.${NAME}`, delegation?.value ?? '');
    await owner.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(owner, NAME));
    const isReady = async () => (await getDomain(owner, NAME)).readiness?.state === 'ready';
    await waitUntil(isReady, { timeoutMs: 60_000, message: 'the name to be ready' });
    expect(await getDomain(owner, NAME)).toMatchObject({
      state: 'awaiting_dns',
      certificate: { state: 'issued', method: 'dns-01' },
      readiness: { message: 'You can switch the DNS record now: visitors will see no interruption.' },
    });

    await endPolling();
    await records.remove(NAME);
    await owner.createRecord(NAME, target);
    // The visitors are served from the first one on, and they are what makes the API check the DNS.
    const isLive = async () => {
      expect((await owner.visitor.visit(NAME)).status).toBe(200);
      return (await getDomain(owner, NAME)).state === 'live';
    };
    await waitUntil(isLive, { timeoutMs: 60_000, message: 'the name to be live' });
    expect(await countOrders()).toBe(1);
  });

  it('is stopped at once by its removal before the switch', async () => {
    const name = 'shop.moving-here.com';
    await addDomain(owner, name);
    const { records: required } = await getDomain(owner, name);
    const delegation = required.find(({ purpose }) => purpose === 'delegation');
    await owner.createRecord(`_acme-challenge.${name}`, delegation?.value ?? '');
    await owner.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(owner, name));
    const isReady = async () => (await getDomain(owner, name)).readiness?.state === 'ready';
    await waitUntil(isReady, { timeoutMs: 60_000, message: 'the name to be ready' });
    expect((await owner.visitor.visit(name)).status).toBe(200);
    const removed = await owner.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', at(owner, name));
    expect(removed.response.status).toBe(204);
    await expect(owner.visitor.visit(name)).rejects.toThrow();
  });
});
