import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Domain, RemovedDomains } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { adminConfig } from '../operations/operator-fixture.js';
import { createSuspensionsService } from '../../src/operations/admin/suspension-commands.js';
import { sql } from 'kysely';
import { matchingFindings, provenFindings } from '../scripted-worker.js';
import { addLive, certify, freshBase, pointing, routeOf } from './wildcard-steps.js';

let fixture: DomainFixture;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DNS_ZONE: 'acme.pets.localhost' });
});
afterAll(() => fixture.close());

const route = (host: string) => routeOf(fixture, host);
const excludedRoute = { answersChallenges: false, serve: { kind: 'excluded' }, certificateId: null };

const remove = <Body = Domain>(owner: Tenant, name: string, query = '') =>
  fixture.api.request<Body>('DELETE', `${fixture.path(owner.projectId)}/${encodeURIComponent(name)}${query}`, {
    key: owner.key,
  });
const lift = (owner: Tenant, wildcard: string, name: string) =>
  fixture.api.request<ApiError>(
    'DELETE',
    `${fixture.path(owner.projectId)}/${encodeURIComponent(wildcard)}/exclusions/${name}`,
    { key: owner.key },
  );

/** A live wildcard, and a live name that it covers in another project of the organization. */
async function addCovered() {
  const owner = await fixture.tenant();
  const base = freshBase();
  const wildcard = await addLive(fixture, owner, `*.${base}`);
  const other = { ...owner, projectId: await fixture.createProject(owner.key, true) };
  const name = `a.${base}`;
  const path = fixture.path(other.projectId);
  const added = await fixture.api.request<Domain>('POST', path, { key: owner.key, body: { name } });
  await fixture.check(added.body.id, matchingFindings);
  await certify(fixture, added.body.id, name);
  await waitUntil(async () => (await route(name))?.serve?.kind === 'site', { timeoutMs: 15_000 });
  return { owner, other, base, wildcard, name, id: added.body.id };
}

describe('the removal of a name that the own wildcard covers', () => {
  it('ends its route and says which wildcard serves it', async () => {
    const { other, base, name, id } = await addCovered();
    const removed = await remove(other, name);
    expect(removed.status).toBe(200);
    expect(removed.body).toMatchObject({ id, state: 'removed', coveredBy: `*.${base}`, pendingEdges: 0 });
    expect(await route(name)).toBeNull();
    expect((await route(`*.${base}`))?.serve?.kind).toBe('site');
    // Again, by its id.
    expect((await remove(other, id)).status).toBe(200);
  });

  it('with exclude stops the name as well, until it is lifted', async () => {
    const { owner, other, base, name, wildcard } = await addCovered();
    const removed = await remove(other, name, '?exclude=true');
    expect([removed.status, removed.text]).toEqual([204, '']);
    expect(await route(name)).toEqual({ ...excludedRoute, projectId: owner.projectId });
    expect((await owner.get(wildcard.id)).exclusions).toEqual([name]);
    expect((await remove(other, name)).status).toBe(204);

    expect((await lift(owner, `*.${base}`, name)).status).toBe(204);
    expect(await route(name)).toBeNull();
    expect((await owner.get(wildcard.id)).exclusions).toEqual([]);
    expect((await lift(owner, `*.${base}`, name)).status).toBe(404);
    expect((await owner.events(wildcard.id)).at(-1)).toMatchObject({ type: 'owner.exclusion_lifted' });
  });

  it('can exclude the name later', async () => {
    const { owner, other, name } = await addCovered();
    expect((await remove(other, name)).status).toBe(200);
    expect((await remove(other, name, '?exclude=true')).status).toBe(204);
    expect(await route(name)).toEqual({ ...excludedRoute, projectId: owner.projectId });
  });

  it('excludes a name that never had a route, and keeps it excluded when everything is published', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    await addLive(fixture, owner, `*.${base}`);
    const name = `waiting.${base}`;
    await owner.add(name);
    expect((await remove(owner, name, '?exclude=true')).status).toBe(204);
    const patch = { key: owner.key, body: { hsts: { maxAge: 60 } } };
    await fixture.api.request('PATCH', `/v1/projects/${owner.projectId}`, patch);
    expect(await route(name)).toMatchObject(excludedRoute);
  });

  it('is refused with exclude where no wildcard covers the name', async () => {
    const [owner, stranger] = [await fixture.tenant(), await fixture.tenant()];
    const base = freshBase();
    await addLive(fixture, stranger, `*.${base}`);
    const { id } = await owner.add(`a.${base}`);
    const refused = await remove<ApiError>(owner, id, '?exclude=true');
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await owner.get(id)).state).toBe('awaiting_dns');
    expect((await remove(owner, id)).status).toBe(204);
  });

  it('is limited to a number of exclusions', async () => {
    const { owner, other, name, wildcard } = await addCovered();
    await sql`insert into wildcard_exclusions (domain_id, name)
      select ${wildcard.id}, 'n' || n || '.example.com' from generate_series(1, 100) as n`.execute(fixture.api.db);
    const refused = await remove<ApiError>(other, name, '?exclude=true');
    expect([refused.status, refused.body.code]).toEqual([403, 'domain_limit_reached']);
    expect((await owner.get(wildcard.id)).exclusions).toHaveLength(100);
    expect((await route(name))?.serve?.kind).toBe('site');
  });

  it('says the same in a batch, unless the wildcard is removed with it', async () => {
    const { owner, base } = await addCovered();
    const [one, two] = [`b.${base}`, `c.${base}`];
    for (const name of [one, two]) await owner.add(name);
    const batch = (names: string[]) =>
      fixture.api.request<RemovedDomains>('POST', `${fixture.path(owner.projectId)}:batchRemove`, {
        key: owner.key,
        body: { domains: names.map((name) => ({ name })) },
      });
    expect((await batch([one])).body.results).toMatchObject([{ result: 'removed', coveredBy: `*.${base}` }]);
    const both = (await batch([two, `*.${base}`])).body.results;
    expect(both.map(({ coveredBy }) => coveredBy)).toEqual([null, null]);
  });
});

describe('an exclusion', () => {
  it('ends when the name is added again, in any project', async () => {
    const { owner, other, base, name, wildcard } = await addCovered();
    await remove(other, name, '?exclude=true');
    const again = await other.add(name);
    expect(again.coveredBy).toBe(`*.${base}`);
    expect((await owner.get(wildcard.id)).exclusions).toEqual([]);
    // The project of the wildcard is another one: its next check publishes the change.
    await fixture.check(wildcard.id, pointing);
    await waitUntil(async () => (await route(name)) === null, { timeoutMs: 15_000, message: 'the name to be served' });

    await other.remove(again.id);
    const own = await owner.add(name);
    await remove(owner, own.id, '?exclude=true');
    expect(await route(name)).toMatchObject(excludedRoute);
    await owner.add(name);
    expect(await route(name)).toBeNull();
  });

  it('ends with the wildcard, whose removal stops every name that only it covered', async () => {
    const { owner, other, base, name, wildcard } = await addCovered();
    const kept = await other.add(`kept.${base}`);
    await fixture.check(kept.id, matchingFindings);
    await certify(fixture, kept.id, `kept.${base}`);
    await waitUntil(async () => (await route(`kept.${base}`))?.serve?.kind === 'site', { timeoutMs: 15_000 });
    await remove(other, name, '?exclude=true');
    expect((await remove(owner, wildcard.id)).status).toBe(204);
    expect(await route(`*.${base}`)).toBeNull();
    expect(await route(name)).toBeNull();
    expect((await route(`kept.${base}`))?.serve?.kind).toBe('site');
    const again = await owner.add(`*.${base}`);
    expect(again.exclusions).toEqual([]);
  });

  it('moves with the wildcard', async () => {
    const { owner, other, name, wildcard } = await addCovered();
    await remove(other, name, '?exclude=true');
    const body = { projectId: other.projectId };
    const path = `${fixture.path(owner.projectId)}/${wildcard.id}/move`;
    expect((await fixture.api.request('POST', path, { key: owner.key, body })).status).toBe(200);
    expect(await route(name)).toEqual({ ...excludedRoute, projectId: other.projectId });
    expect(await route(wildcard.name)).toMatchObject({ projectId: other.projectId });
  });

  it('gives way to another organization that proves the name, and is there again when that one leaves', async () => {
    const { owner, other, name, wildcard } = await addCovered();
    await remove(other, name, '?exclude=true');
    const next = await fixture.tenant();
    const { id } = await next.add(name);
    await fixture.check(id, (expected) => provenFindings(expected, expected.ownershipToken ?? ''));
    await next.untilState(id, 'verified');
    expect(await route(name)).toMatchObject({ projectId: next.projectId });
    await next.remove(id);
    await fixture.check(wildcard.id, pointing);
    await waitUntil(async () => (await route(name))?.serve?.kind === 'excluded', { timeoutMs: 15_000 });
    expect(await route(name)).toMatchObject({ projectId: owner.projectId });
  });
});

it('a name that the operator blocks is not served by a wildcard', async () => {
  const owner = await fixture.tenant();
  const base = freshBase();
  await addLive(fixture, owner, `*.${base}`);
  const name = `phish.${base}`;
  const suspensions = await createSuspensionsService({ db: fixture.api.db, config: adminConfig });
  await sql`insert into blocked_names (name, includes_subdomains, reason, since)
    values (${name}, false, 'phishing', now())`.execute(fixture.api.db);
  await suspensions.republishCovered(name);
  expect(await route(name)).toEqual({ ...excludedRoute, projectId: owner.projectId });
  expect((await route(`*.${base}`))?.serve?.kind).toBe('site');
  await sql`delete from blocked_names where name = ${name}`.execute(fixture.api.db);
  await suspensions.republishCovered(name);
  expect(await route(name)).toBeNull();
});
