import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  operations,
  type AuditEvent,
  type CreatedApiKey,
  CreatedChannelLink,
  type CreatedSession,
  type CreatedSetupLink,
  type CreatedWebhookEndpoint,
  type Deployment,
  type Domain,
  type Invitation,
  type Project,
  type WebhookDelivery,
} from '@pets/contracts';
import { createTestCa, plainPng, waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { changes } from './audited-operations.js';
import { site } from '../projects/bundles.js';
import type { Tenant } from '../domain-fixture.js';
import { insertPerson } from './member-steps.js';
import { startOperatorFixture, type OperatorFixture } from '../operations/operator-fixture.js';

let fixture: OperatorFixture;
beforeAll(async () => {
  fixture = await startOperatorFixture();
});
afterAll(() => fixture.close());

const api = () => fixture.domainFixture.api;

async function eventsOf(owner: { readonly key: string }, query = '?limit=100'): Promise<AuditEvent[]> {
  const answer = await api().request<AuditEvent[]>('GET', `/v1/audit-events${query}`, { key: owner.key });
  expect(answer.status).toBe(200);
  return answer.body;
}

const typesOf = (events: readonly AuditEvent[]) => events.map(({ type }) => type).reverse();

const logo = plainPng(4, 4, [1, 2, 3]);

/** Sends a request that must succeed, and remembers every secret in its answer. */
function recordingClient(key: string) {
  const secrets = new Set([key]);
  const requestIds: string[] = [];
  const send = async <Body>(method: string, path: string, body?: unknown, by = key): Promise<Body> => {
    const headers = {
      'x-request-id': `audit-${requestIds.length}`,
      ...(Buffer.isBuffer(body) && (body === site ? gzip : ndjson)),
      ...(body === logo && { 'content-type': 'image/png' }),
    };
    const answer = await api().request<Body>(method, path, { key: by, headers, ...(body !== undefined && { body }) });
    expect([method, path, answer.status, answer.status < 300 ? '' : answer.text]).toEqual([
      method,
      path,
      answer.status,
      '',
    ]);
    requestIds.push(headers['x-request-id']);
    const { secret, url } = { ...answer.body } as { secret?: string; url?: string };
    if (secret !== undefined) secrets.add(secret);
    // The link of an invitation, or for the owner of a domain.
    const [, token] = url?.split('#') ?? [];
    if (token !== undefined) secrets.add(token);
    return answer.body;
  };
  return { secrets, requestIds, send };
}

/** The query of the next page, from `<https://…?…>; rel="next"`. */
function nextQuery(link: string | null): string | undefined {
  return link === null ? undefined : link.slice(link.indexOf('?'), link.indexOf('>'));
}

const gzip = { 'content-type': 'application/gzip' };
const ndjson = { 'content-type': 'application/x-ndjson' };

describe('the audit log', () => {
  it('has every change with actor and origin, and no secret', async () => {
    const { key, organizationId } = await api().createOrganization('pro');
    const { send, secrets, requestIds } = recordingClient(key);
    const session = await send<CreatedSession>('POST', '/v1/sessions');
    const bySession = session.secret;
    const made = await send<CreatedApiKey>('POST', '/v1/api-keys', { name: 'ci', scopes: ['pets:read'] }, key);
    await send('DELETE', `/v1/api-keys/${made.id}`, undefined, bySession);
    const project = await send<Project>('POST', '/v1/projects', { name: 'P', slug: 'audited' }, bySession);
    const base = `/v1/projects/${project.id}`;
    await send('PATCH', base, { name: 'Q' });
    const first = await send<Deployment>('POST', `${base}/deployments`, site);
    const second = await send<Deployment>('POST', `${base}/deployments`, site);
    await send('POST', `${base}/deployments/${first.id}/activate`);
    await send('PUT', `${base}/channels/beta`, { deploymentId: second.id });
    await send('PUT', `${base}/channels/beta`, { access: 'link' });
    const opened = await send<CreatedChannelLink>('POST', `${base}/channels/beta/links`, {});
    secrets.add(new URL(opened.url).searchParams.get('__preview') ?? '');
    await send('DELETE', `${base}/channels/beta/links`);
    await send('DELETE', `${base}/channels/beta`);
    await send('DELETE', `${base}/deployments/${second.id}`);
    await send('PUT', `${base}/origin`, { url: 'https://app.example.net', headers: { 'x-key': 't0ken-of-origin' } });
    await sql`update origins set test_started_at = now() - interval '1 day'`.execute(api().db);
    await send('POST', `${base}/origin/test`);
    await send('DELETE', `${base}/origin`);
    const domain = await send<Domain>('POST', `${base}/domains`, { name: 'audited.example.com' });
    await send('PATCH', `${base}/domains/${domain.id}`, { metadata: { tier: 'gold' } });
    const ofDomain = `${base}/domains/${domain.id}/origin`;
    await send('PUT', ofDomain, { url: 'https://own.example.net', headers: { 'x-key': 't0ken-of-domain' } });
    await sql`update origins set test_started_at = now() - interval '1 day'`.execute(api().db);
    await send('POST', `${ofDomain}/test`);
    await send('DELETE', ofDomain);
    const links = `${base}/domains/${domain.id}/setup-links`;
    await send('DELETE', `${links}/${(await send<CreatedSetupLink>('POST', links, {})).id}`);
    const look = { name: 'Acme', color: null, supportAddress: null, returnOrigins: [] };
    await send('PUT', '/v1/setup-page', look);
    await send('PUT', '/v1/setup-page/logo', logo);
    await send('DELETE', '/v1/setup-page/logo');
    await send('PUT', `${base}/domain-config`, { domains: { primary: 'audited.example.com', redirects: [] } });
    await send('POST', `${base}/domains/${domain.id}/verify`);
    await sql`update domains set state = 'verified', generation_began_at = now() - interval '1 day' where id = ${domain.id}`.execute(
      api().db,
    );
    await send('POST', `${base}/domains/${domain.id}/reverify`);
    const certificatePath = `${base}/domains/${domain.id}/certificate`;
    const leaf = await (await createTestCa()).issue({ names: ['audited.example.com'] });
    const upload = { certificate: leaf.certPem, privateKey: leaf.keyPem, trust: 'private' };
    await send('PUT', certificatePath, upload);
    await send('PATCH', certificatePath, { prefer: 'automatic' });
    await send('DELETE', `${certificatePath}?force=true`);
    const other = await send<Project>('POST', '/v1/projects', { name: 'P', slug: 'audited-too' });
    await send('POST', `/v1/projects/${other.id}/deployments`, site);
    const move = { projectId: other.id, redirects: 'move' };
    await send('POST', `${base}/domains/${domain.id}/move`, move);
    await send('DELETE', `/v1/projects/${other.id}/domains/${domain.id}`);
    // Longer than the time until it is cancelled.
    const file = Buffer.from('"*.example.com"\n'.repeat(20_000));
    const begun = await send<{ id: string }>('POST', `${base}/domain-imports`, file);
    await send('POST', `${base}/domain-imports/${begun.id}/cancel`);
    const hooks = '/v1/webhook-endpoints';
    const url = 'https://hooks.example.com/t0ken-in-path?k=t0ken-in-query';
    const endpoint = await send<CreatedWebhookEndpoint>('POST', hooks, { url, eventTypes: ['pet.created'] });
    await send('PATCH', `${hooks}/${endpoint.id}`, { description: 'd' });
    const test = await send<WebhookDelivery>('POST', `${hooks}/${endpoint.id}/test`);
    await waitUntil(
      async () => {
        const path = `${hooks}/${endpoint.id}/deliveries/${test.id}/replay`;
        return (await api().request('POST', path, { key })).status < 300;
      },
      { message: 'it is replayed' },
    );
    await send('POST', `${hooks}/${endpoint.id}/rotate-secret`);
    await send('DELETE', `${hooks}/${endpoint.id}`);
    const personId = await insertPerson(api(), organizationId, 'viewer');
    await send('PATCH', `/v1/people/${personId}`, { role: 'admin' });
    await send('DELETE', `/v1/people/${personId}`, undefined, bySession);
    const invited = await send<Invitation>('POST', '/v1/invitations', { name: 'Ada', role: 'viewer' });
    await send('DELETE', `/v1/invitations/${invited.id}`, undefined, bySession);
    await send('DELETE', '/v1/sessions/current', undefined, bySession);

    const events = await eventsOf({ key });
    expect(typesOf(events)).toEqual([
      'api_key.created',
      'session.opened',
      'api_key.created',
      'api_key.revoked',
      'project.created',
      'project.changed',
      'deployment.created',
      'deployment.created',
      'deployment.activated',
      'channel.created',
      'channel.changed',
      'channel.link_created',
      'channel.links_ended',
      'channel.removed',
      'deployment.deleted',
      'origin.changed',
      'origin.tested',
      'origin.removed',
      'domain.added',
      'domain.changed',
      'origin.changed',
      'origin.tested',
      'origin.removed',
      'setup_link.created',
      'setup_link.deleted',
      'organization.setup_page_changed',
      'organization.setup_logo_changed',
      'organization.setup_logo_removed',
      'project.config_changed',
      'domain.verify_requested',
      'domain.reverify_requested',
      'certificate.uploaded',
      'certificate.changed',
      'certificate.removed',
      'project.created',
      'deployment.created',
      'domain.moved',
      'domain.removed',
      'domain_import.created',
      'domain_import.cancelled',
      'webhook_endpoint.created',
      'webhook_endpoint.changed',
      'webhook_endpoint.tested',
      'webhook_delivery.replayed',
      'webhook_endpoint.secret_rotated',
      'webhook_endpoint.deleted',
      'person.role_changed',
      'person.removed',
      'invitation.created',
      'invitation.deleted',
      'session.ended',
    ]);
    expect(new Set(events.map(({ type }) => type))).toEqual(
      // The same operation creates and changes a channel.
      new Set(['channel.created', ...Object.values(changes).filter((type) => type !== null)]),
    );
    const byClient = events.filter(({ actor }) => actor.kind !== 'system');
    expect(new Set(byClient.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
    expect(byClient.map(({ requestId }) => requestId)).toEqual(expect.arrayContaining(requestIds));
    const revoked = events.find(({ type }) => type === 'api_key.revoked');
    expect(revoked).toMatchObject({
      actor: { kind: 'session', display: expect.stringMatching(/^pets_/) },
      subject: { kind: 'api_key', id: made.id },
    });
    expect(events.find(({ type }) => type === 'domain.added')).toMatchObject({
      actor: { kind: 'api_key' },
      subject: { kind: 'domain', id: domain.id },
      detail: { name: 'audited.example.com', projectId: project.id },
    });

    const names = new Map(events.map(({ type, subject, project: of }) => [type, [subject.display, of?.name ?? null]]));
    expect(Object.fromEntries(names)).toMatchObject({
      'api_key.revoked': ['ci', null],
      // By the name that it had; where it is only mentioned, by its name now.
      'project.created': ['P', null],
      'project.changed': ['Q', null],
      'project.config_changed': ['Q', null],
      'deployment.activated': [null, 'Q'],
      'channel.removed': ['beta', 'Q'],
      'domain.added': ['audited.example.com', 'Q'],
      'domain.moved': ['audited.example.com', 'P'],
      'origin.removed': ['https://app.example.net', 'Q'],
      'webhook_endpoint.tested': ['hooks.example.com', null],
      'webhook_delivery.replayed': ['hooks.example.com', null],
      'webhook_endpoint.deleted': ['hooks.example.com', null],
      'person.removed': ['viewer', null],
      'invitation.created': ['Ada', null],
      'session.ended': [null, null],
    });

    const { rows } = await sql<{ text: string }>`select a::text as text from audit_events a`.execute(api().db);
    const dump = rows.map(({ text }) => text).join('\n');
    for (const secret of [
      ...secrets,
      't0ken-in-path',
      't0ken-in-query',
      't0ken-of-origin',
      't0ken-of-domain',
      'PRIVATE KEY',
    ])
      expect(dump).not.toContain(secret);
    expect(secrets.size).toBe(8);
  });

  it('covers every operation that changes something', () => {
    const writing = Object.entries(operations).filter(([, { method }]) => method !== 'get');
    expect(Object.keys(changes).sort()).toEqual(writing.map(([id]) => id).sort());
  });

  it('has the operator’s commands and names', async () => {
    const made = (await fixture.admin('organization create --name Acme --plan pro --key-name first --by ann')) as {
      organizationId: string;
      apiKey: string;
    };
    const { organizationId, apiKey } = made;
    await fixture.admin(`plan set --organization ${organizationId} --plan enterprise --by bob`);
    await fixture.admin(`limits set --organization ${organizationId} --name projects --value 7`);
    await fixture.admin(`organization suspend --organization ${organizationId} --reason fraud --by ann`);
    await fixture.admin(`organization resume --organization ${organizationId} --by ann`);
    const events = await eventsOf({ key: await api().createKey(organizationId) });
    expect(
      events
        .map(({ type, actor, detail }) => [type, actor.kind, actor.display, detail])
        .reverse()
        .slice(0, 6),
    ).toEqual([
      ['organization.created', 'operator', 'ann', { name: 'Acme', plan: 'pro' }],
      ['api_key.created', 'operator', 'ann', expect.objectContaining({ name: 'first' })],
      ['organization.plan_changed', 'operator', 'bob', { plan: 'enterprise' }],
      ['organization.limit_changed', 'operator', null, { limit: 'projects', value: 7 }],
      ['organization.suspended', 'operator', 'ann', { cause: 'operator', reason: 'fraud' }],
      ['organization.resumed', 'operator', 'ann', { cause: 'operator' }],
    ]);
    expect(JSON.stringify(events)).not.toContain(apiKey);
  });

  it('has no refused requests', async () => {
    const owner = await fixture.domainFixture.tenant();
    const before = await eventsOf(owner);
    const path = `/v1/projects/${owner.projectId}/domains`;
    expect((await fixture.ask(owner, 'POST', path, { name: 'co.uk' })).status).toBe(400);
    await owner.add('twice.example.com');
    expect((await fixture.ask(owner, 'POST', path, { name: 'twice.example.com' })).status).toBe(409);
    expect(await eventsOf(owner)).toHaveLength(before.length + 1);
  });

  it('has one event of a request that is repeated with its key', async () => {
    const owner = await fixture.domainFixture.tenant();
    const before = (await eventsOf(owner)).length;
    const body = { name: 'P', slug: 'once-only' };
    for (let tries = 0; tries < 3; tries++)
      await api().request('POST', '/v1/projects', { key: owner.key, body, headers: { 'idempotency-key': 'k1' } });
    expect(await eventsOf(owner)).toHaveLength(before + 1);
  });

  it('is read in pages, newest first, by its own organization and with the scope', async () => {
    const owner: Tenant = await fixture.domainFixture.tenant();
    for (const name of ['a', 'b', 'c']) await owner.add(`${name}.pages.example.com`);
    const all = await eventsOf(owner);
    const read: AuditEvent[] = [];
    for (let query: string | undefined = '?limit=2'; query !== undefined;) {
      const page: { headers: Headers; body: AuditEvent[] } = await api().request('GET', `/v1/audit-events${query}`, {
        key: owner.key,
      });
      read.push(...page.body);
      query = nextQuery(page.headers.get('link'));
    }
    expect(read).toEqual(all);
    expect(all[0]?.detail).toMatchObject({ name: 'c.pages.example.com' });
    const other = await fixture.domainFixture.tenant();
    expect(JSON.stringify(await eventsOf(other))).not.toContain('pages.example.com');
    const key = await api().createKey(await fixture.organizationOf(owner), { scopes: ['domains:read'] });
    expect(await api().request('GET', '/v1/audit-events', { key })).toMatchObject({
      status: 403,
      body: { code: 'forbidden' },
    });
  });
});

describe('nobody', () => {
  it.each([
    ['changes', `update audit_events set type = 'x'`],
    ['deletes', `delete from audit_events`],
    ['truncates', `truncate audit_events`],
    [
      'deletes in the name of retention what is younger than a day',
      `select set_config('pets.audit_retention', 'on', true); delete from audit_events`,
    ],
  ])('%s an event', async (_name, statement) => {
    await fixture.domainFixture.tenant();
    const attempt = api()
      .db.transaction()
      .execute(async (tx) => {
        for (const part of statement.split('; ')) await sql.raw(part).execute(tx);
      });
    await expect(attempt).rejects.toThrow('append-only');
  });
});

it('the audit log has the client address of a trusted proxy only', async () => {
  const replica = await api().startReplica({ TRUSTED_PROXIES: '127.0.0.0/8' });
  const { key } = await api().createOrganization('pro');
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  await replica.request('POST', '/v1/sessions', { key, headers });
  await api().request('POST', '/v1/sessions', { key, headers });
  expect((await eventsOf({ key })).map(({ address }) => address).slice(0, 2)).toEqual(['127.0.0.1', '203.0.113.9']);
  await replica.stopApi();
});
