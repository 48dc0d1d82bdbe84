import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { DomainImport, Role, Scope } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { SessionsService } from '../../src/access/sessions/sessions.service.js';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { openStream, readStream, type StreamReader } from '../events/event-stream-reader.js';
import { insertPerson, organizationOf } from './member-steps.js';

/** Work that a person began with a role that they lose. */

let fixture: DomainFixture;
let owner: Tenant;
beforeAll(async () => {
  fixture = await shareDomainFixture();
  owner = await fixture.tenant();
});
afterAll(() => fixture.close());

/** Streams are checked once a second. */
const SOON_MS = 2_500;

interface Member {
  readonly id: string;
  /** Key of their session. */
  readonly key: string;
}

async function join(role: Role): Promise<Member> {
  const organizationId = await organizationOf(fixture.api, owner.projectId);
  const id = await insertPerson(fixture.api, organizationId, role);
  const { rows } = await sql<{
    apiKeyId: string;
  }>`select api_key_id as "apiKeyId" from people where id = ${id}`.execute(fixture.api.db);
  const [{ apiKeyId } = { apiKeyId: '' }] = rows;
  const sessions = fixture.api.service(SessionsService);
  const { secret } = await sessions.open(fixture.api.db, { apiKeyId, organizationId }, new Date());
  return { id, key: secret };
}

async function changeRole({ id }: Member, role: Role): Promise<void> {
  const { status } = await fixture.api.request('PATCH', `/v1/people/${id}`, { key: owner.key, body: { role } });
  expect(status).toBe(200);
}

async function begun(stream: StreamReader): Promise<StreamReader> {
  await stream.until(() => stream.events().length > 0, 'the stream to begin');
  return stream;
}

describe('with a lower role', () => {
  it('a stream of webhook events ends, and one that the role still allows does not', async () => {
    const member = await join('admin');
    const headers = { authorization: `Bearer ${member.key}` };
    const listener = await begun(await readStream(`${fixture.api.url}/v1/webhook-listeners`, headers));
    const events = await begun(await openStream(fixture.api.url, { ...member, projectId: owner.projectId }));
    await changeRole(member, 'viewer');
    expect(await listener.untilEnd(SOON_MS)).toBe(true);
    await owner.add(fixture.freshName());
    await events.until(() => events.history().length > 0, 'the next line');
    events.close();
  });

  it('an import fails, and its other lines are not done', async () => {
    const member = await join('developer');
    const names = Array.from({ length: 600 }, (_, index) => `d${index}.demoted.com`);
    const path = `/v1/projects/${owner.projectId}/domain-imports`;
    const { body } = await fixture.api.request<DomainImport>('POST', `${path}?action=add`, {
      key: member.key,
      body: Buffer.from(names.map((name) => `${JSON.stringify({ name })}\n`).join('')),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    await changeRole(member, 'viewer');
    const read = async () =>
      (await fixture.api.request<DomainImport>('GET', `${path}/${body.id}`, { key: owner.key })).body;
    await waitUntil(async () => (await read()).state !== 'running', { message: 'the import to end' });
    const reason = 'The API key or person that started the import may no longer change domains.';
    expect(await read()).toMatchObject({ state: 'failed', reason });
    expect((await read()).done).toBeLessThan(600);
  });
});

it('the events of a project end with the scope to read domains', async () => {
  const organizationId = await organizationOf(fixture.api, owner.projectId);
  const scopes: readonly Scope[] = ['domains:read', 'pets:read'];
  const key = await fixture.api.createKey(organizationId, { scopes });
  const stream = await begun(await openStream(fixture.api.url, { key, projectId: owner.projectId }));
  await sql`update api_keys set scopes = '{pets:read}' where scopes = ${scopes}`.execute(fixture.api.db);
  expect(await stream.untilEnd(SOON_MS)).toBe(true);
});
