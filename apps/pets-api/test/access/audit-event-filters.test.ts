import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent, Domain } from '@pets/contracts';
import type { Tenant } from '../domain-fixture.js';
import { startOperatorFixture, type OperatorFixture } from '../operations/operator-fixture.js';

let fixture: OperatorFixture;
beforeAll(async () => {
  fixture = await startOperatorFixture();
});
afterAll(() => fixture.close());

const api = () => fixture.domainFixture.api;
const read = ({ key }: { readonly key: string }, query: string) =>
  api().request<AuditEvent[]>('GET', `/v1/audit-events${query}`, { key });
const eventsOf = async (owner: { readonly key: string }, query: string) => (await read(owner, query)).body;

/** The events that a filter finds, of all pages. */
async function shownTo(owner: { readonly key: string }, filters: object): Promise<readonly string[]> {
  const found: string[] = [];
  let query: string | undefined = `?${new URLSearchParams({ limit: '1', ...filters }).toString()}`;
  while (query !== undefined) {
    const page: Awaited<ReturnType<typeof read>> = await read(owner, query);
    found.push(...page.body.map(({ type, subject }) => `${type} ${subject.display}`));
    query = /^<[^?]+(\?[^>]+)>/.exec(page.headers.get('link') ?? '')?.[1];
  }
  return found;
}

it('the audit log is filtered by kind, actor and resource, in pages', async () => {
  const owner: Tenant = await fixture.domainFixture.tenant();
  const organizationId = await fixture.organizationOf(owner);
  const other = { ...owner, key: await api().createKey(organizationId) };
  const path = `/v1/projects/${owner.projectId}/domains`;
  const { body: first } = await fixture.ask<Domain>(owner, 'POST', path, { name: 'first.filtered.com' });
  await fixture.ask(other, 'POST', path, { name: 'second.filtered.com' });
  await fixture.ask(other, 'POST', path, { name: 'third.filtered.com' });
  for (const by of [owner, other])
    await fixture.ask(by, 'PATCH', `${path}/${first.id}`, { metadata: { by: by.key.slice(-4) } });
  const shown = (filters: object) => shownTo(owner, filters);
  const [changed] = await eventsOf(owner, '?limit=1');
  const actorId = changed?.actor.id ?? '';
  const ofFirst = 'first.filtered.com';
  const [change, addition] = [`domain.changed ${ofFirst}`, `domain.added ${ofFirst}`];
  expect(await shown({ type: 'domain.added' })).toEqual([
    'domain.added third.filtered.com',
    'domain.added second.filtered.com',
    addition,
  ]);
  expect(await shown({ subjectId: first.id })).toEqual([change, change, addition]);
  expect(await shown({ subjectId: first.id.toUpperCase() })).toEqual([change, change, addition]);
  expect(await shown({ actorId })).toEqual([
    change,
    'domain.added third.filtered.com',
    'domain.added second.filtered.com',
  ]);
  expect(await shown({ actorId, subjectId: first.id })).toEqual([change]);
  expect(await shown({ actorId, type: 'domain.changed' })).toEqual([change]);
  expect(await shown({ actorId, subjectId: first.id, type: 'domain.added' })).toEqual([]);
  const refused = await read(owner, '?type=domain.eaten');
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_parameter' } });
  // Nothing of another organization, whatever it asks for.
  const stranger = await fixture.domainFixture.tenant();
  expect(await eventsOf(stranger, `?limit=10&subjectId=${first.id}`)).toEqual([]);
  expect(await eventsOf(stranger, `?limit=10&actorId=${actorId}`)).toEqual([]);
});
