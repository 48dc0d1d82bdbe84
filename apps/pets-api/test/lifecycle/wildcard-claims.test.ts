import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { addVerified, issueCodesOf, untilIssues } from '../domains/domain-steps.js';
import { emptyFindings, matchingFindings, provenFindings, withDelegation } from '../scripted-worker.js';
import { addLive, certify, freshBase, pointing, recordOf, routeOf } from '../domains/wildcard-steps.js';

let fixture: DomainFixture;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DNS_ZONE: 'acme.pets.localhost' });
});
afterAll(() => fixture.close());

const route = (host: string) => routeOf(fixture, host);
const addLiveName = (owner: Tenant, name: string, find = pointing) => addLive(fixture, owner, name, find);

describe('names of several organizations', () => {
  it('a name below the wildcard of another one needs a proof of its own, like any contested name', async () => {
    const [holder, next, control] = [await fixture.tenant(), await fixture.tenant(), await fixture.tenant()];
    const base = freshBase();
    await addLiveName(holder, `*.${base}`);
    const { id } = await next.add(`a.${base}`);
    // What a contested exact name shows today.
    const contested = freshBase();
    await addVerified(fixture, holder, contested);
    const same = await control.add(contested);
    const shapeOf = ({ records, ownership, coveredBy }: Domain) => ({
      records: records.map(({ type, purpose, optional }) => ({ type, purpose, optional })),
      required: ownership.required,
      coveredBy,
    });
    expect(shapeOf(await next.get(id))).toEqual(shapeOf(same));
    expect((await next.get(id)).coveredBy).toBeNull();

    // The record of the wildcard answers for the name: neither it nor a record of its own is a proof.
    const theirTarget = recordOf(await holder.get(`*.${base}`), 'routing')?.value ?? '';
    await fixture.check(id, (expected) => matchingFindings({ ...expected, targetHost: theirTarget }));
    await untilIssues(next, id, ['cname_mismatch', 'ownership_txt_missing']);
    expect(JSON.stringify(await next.get(id))).not.toContain('another organization');
    await fixture.api.request('POST', `${fixture.path(next.projectId)}/${id}/verify`, { key: next.key });
    await fixture.check(id, matchingFindings);
    await untilIssues(next, id, ['ownership_txt_missing']);
    expect((await next.get(id)).state).toBe('awaiting_dns');
    await fixture.api.request('POST', `${fixture.path(next.projectId)}/${id}/verify`, { key: next.key });
    await fixture.check(id, (expected) => provenFindings(expected, expected.ownershipToken ?? ''));
    await next.untilState(id, 'verified');
    expect(await route(`a.${base}`)).toMatchObject({ projectId: next.projectId, serve: null });
    expect(await route(`a.${base}`)).not.toHaveProperty('wildcardUntilCertified');
    expect((await holder.get(`*.${base}`)).state).toBe('live');
  });

  it('a name that is prepared below the wildcard of another one has no route before its switch', async () => {
    const [holder, next] = [await fixture.tenant(), await fixture.tenant()];
    const base = freshBase();
    await addLiveName(holder, `*.${base}`);
    const { id } = await next.add(`a.${base}`);
    await fixture.check(id, (expected) => withDelegation(emptyFindings(expected), expected));
    await fixture.sign(await fixture.worker.nextJob('issue-certificate', id), `a.${base}`);
    await waitUntil(async () => (await next.get(id)).certificate?.state === 'issued', { timeoutMs: 15_000 });
    expect(await route(`a.${base}`)).toBeNull();
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, pointing);
    await next.untilState(id, 'verified');
    expect(await route(`a.${base}`)).toMatchObject({ projectId: next.projectId, serve: { kind: 'site' } });
  });

  it.each([
    ['a name that it covers', (base: string) => `a.${base}`],
    ['its base', (base: string) => base],
  ])('a wildcard needs the TXT record where another one has %s, and leaves that name alone', async (_what, nameOf) => {
    const [first, next] = [await fixture.tenant(), await fixture.tenant()];
    const base = freshBase();
    const theirs = await addLiveName(first, nameOf(base), matchingFindings);
    const { id, ...added } = await next.add(`*.${base}`);
    expect(added.ownership).toMatchObject({ required: true, record: { type: 'TXT' } });
    await fixture.check(id, pointing);
    await untilIssues(next, id, ['ownership_txt_missing']);
    expect((await next.get(id)).certificate).toBeNull();
    await fixture.api.request('POST', `${fixture.path(next.projectId)}/${id}/verify`, { key: next.key });
    await fixture.check(id, (expected) =>
      withDelegation(provenFindings(expected, expected.ownershipToken ?? ''), expected),
    );
    await next.untilState(id, 'verified');
    await certify(fixture, id, `*.${base}`);
    await next.untilState(id, 'live');
    expect(await first.get(theirs.id)).toMatchObject({ state: 'live', issues: [] });
    expect(await route(nameOf(base))).toMatchObject({ projectId: first.projectId, serve: { kind: 'site' } });
    const { rows } = await sql`select from certificate_revocations r join certificates c on c.id = r.certificate_id
      where c.domain_id = ${theirs.id}`.execute(fixture.api.db);
    expect(rows).toEqual([]);
  });

  it('a contested wildcard orders nothing before its proof, although it is delegated', async () => {
    const [first, next] = [await fixture.tenant(), await fixture.tenant()];
    const base = freshBase();
    await addVerified(fixture, first, `a.${base}`);
    const { id } = await next.add(`*.${base}`);
    await fixture.check(id, (expected) => withDelegation(emptyFindings(expected), expected));
    await untilIssues(next, id, ['no_record', 'ownership_txt_missing']);
    const { rows } = await sql`select from domain_work where domain_id = ${id} and kind = 'issuance'
      and due_at is not null`.execute(fixture.api.db);
    expect(rows).toEqual([]);
    expect(issueCodesOf(await next.get(id))).not.toContain('claimed_elsewhere');
  });

  it('of two that prove the same wildcard, the later one takes it over', async () => {
    const [first, next] = [await fixture.tenant(), await fixture.tenant()];
    const base = freshBase();
    const theirs = await addLiveName(first, `*.${base}`);
    const { id } = await next.add(`*.${base}`);
    await fixture.check(id, pointing);
    await untilIssues(next, id, ['ownership_txt_missing', 'claimed_elsewhere']);
    await fixture.api.request('POST', `${fixture.path(next.projectId)}/${id}/verify`, { key: next.key });
    await fixture.check(id, (expected) =>
      withDelegation(provenFindings(expected, expected.ownershipToken ?? ''), expected),
    );
    await next.untilState(id, 'verified');
    expect((await first.get(theirs.id)).state).toBe('removed');
    expect(await route(`*.${base}`)).toMatchObject({ projectId: next.projectId });
  });
});
