import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Domain } from '@pets/contracts';
import { describeWhen, isInstalled, waitUntil } from '@pets/testing';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { openStream } from '../events/event-stream-reader.js';
import { matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;

describeWhen(describe, 'a restart of PgBouncer', isInstalled('pgbouncer') ? null : 'pgbouncer is not installed', () => {
  beforeAll(async () => {
    fixture = await startDomainFixture();
  });
  afterAll(() => fixture.close());

  it('refuses requests while it lasts, and loses no domain, check or event', async () => {
    const { api, key, projectId } = fixture;
    const path = fixture.path();
    const { pgbouncer } = api.postgres;
    if (pgbouncer === null) throw new Error('run it with "npm run interop"');
    const ask = async (method: string, at: string, body?: object) =>
      (await api.request<ApiError>(method, at, { key, body })).status;
    const askAll = () =>
      Promise.all([
        ask('GET', path),
        ask('GET', '/v1/pets'),
        ask('POST', '/v1/pets', { name: 'Rex', categoryId: 1 }),
        ask('GET', '/readyz'),
      ]);
    const stream = await openStream(api.url, { key, projectId });
    /** Sends the same request again until it is answered, as a client does. */
    const add = async (name: string): Promise<Domain> => {
      const headers = { 'idempotency-key': randomUUID() };
      for (;;) {
        const { status, body } = await api.request<Domain>('POST', path, { key, body: { name }, headers });
        if (status === 201) return body;
        if (status !== 503 && status !== 409) throw new Error(`${name} was answered with ${status}`);
      }
    };

    const before = await fixture.add(fixture.freshName());
    const adding: Promise<Domain>[] = [];
    await pgbouncer.restart(async () => {
      expect(await askAll()).toEqual([503, 503, 503, 503]);
      adding.push(...Array.from({ length: 5 }, () => add(fixture.freshName())));
    });
    const domains = [before, ...(await Promise.all(adding))];
    await waitUntil(async () => (await askAll()).join() === '200,200,201,200', { message: 'the API to be back' });
    for (const { id } of domains) {
      await fixture.check(id, matchingFindings);
      await fixture.untilState(id, 'verified');
    }

    const { body } = await api.request<Domain[]>('GET', path, { key });
    expect(body.map(({ id }) => id).toSorted()).toEqual(domains.map(({ id }) => id).toSorted());
    const verified = () => stream.history().filter(({ from, to }) => from === 'awaiting_dns' && to === 'verified');
    await stream.until(() => verified().length === domains.length, 'the verifications');
    const numbers = stream.history().map(({ number }) => number);
    expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1));
    stream.close();
  });
});
