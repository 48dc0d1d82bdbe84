import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  apiErrorSchema,
  errorsOf,
  operations,
  type ApiKey,
  type CreatedSetupLink,
  type Domain,
  type Invitation,
  type Operation,
  type OperationId,
  type Order,
  type Organization,
  type Pet,
  type SetupSession,
  type WebhookDelivery,
  type WebhookEndpoint,
} from '@pets/contracts';
import { createTestCa, plainPng, waitUntil } from '@pets/testing';
import { z } from 'zod';
import { describeApi, exampleServers } from '../../src/http/openapi/document.js';
import { manifestOf, site, siteFiles } from '../projects/bundles.js';
import { undescribedHeaders } from '../fuzz/answer-checks.js';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import type { ApiResponse, RequestOptions } from '../harness.js';
import { insertPerson } from '../access/member-steps.js';
import { readStream } from '../events/event-stream-reader.js';
import { startScriptedSender } from '../events/webhook-fixture.js';

let fixture: DomainFixture;
const seen = new Set<string>();

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

const { paths, components } = describeApi(exampleServers);

/** Does an operation and checks that the answer is one that the description has: status, headers and every field. */
async function perform<Body>(
  id: OperationId,
  path: string,
  { key = fixture.key, ...options }: RequestOptions = {},
): Promise<ApiResponse<Body>> {
  const operation: Operation = operations[id];
  seen.add(id);
  const answer = await fixture.api.request<Body>(operation.method.toUpperCase(), path, { key, ...options });
  expect(Object.keys(operation.answers)).toContain(String(answer.status));
  expect(undescribedHeaders([...answer.headers.keys()], describedHeaders(id, answer))).toEqual([]);
  const described = Object.entries(operation.answers).find(([status]) => status === String(answer.status))?.[1];
  const { schema, mediaTypes } = described ?? {};
  if (mediaTypes !== undefined) expect(mediaTypes.join()).toContain(answer.headers.get('content-type')?.split(';')[0]);
  else if (schema === undefined) expect(answer.text).toBe('');
  // What the schema does not know it drops, so that a field that is not described makes a difference.
  else expect(withoutBigints(schema.parse(answer.body))).toEqual(answer.body);
  return answer;
}

/** Has an operation refused, and checks that the description has the refusal: its code and its headers. */
async function refuse(id: OperationId, path: string, options: RequestOptions): Promise<string> {
  const operation: Operation = operations[id];
  const answer = await fixture.api.request(operation.method.toUpperCase(), path, options);
  expect(apiErrorSchema.parse(answer.body)).toEqual(answer.body);
  expect(errorsOf(operation)).toContain(answer.body.code);
  expect(undescribedHeaders([...answer.headers.keys()], describedHeaders(id, answer))).toEqual([]);
  return answer.body.code;
}

function describedHeaders(id: OperationId, { status }: ApiResponse<unknown>): string[] {
  const { path, method }: Operation = operations[id];
  const { responses } = operationSchema.parse(paths[path]?.[method]);
  const { $ref, headers: own } = responses[status] ?? {};
  const shared = $ref === undefined ? undefined : components.responses?.[$ref.replace('#/components/responses/', '')];
  return Object.keys(own ?? responseSchema.parse(shared).headers ?? {});
}

const responseSchema = z.object({ $ref: z.string().optional(), headers: z.record(z.string(), z.unknown()).optional() });
const operationSchema = z.object({ responses: z.record(z.string(), responseSchema) });

function withoutBigints(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? Number(member) : member)),
  );
}

it('animals and orders', async () => {
  const pet = await perform<Pet>('createPet', '/v1/pets', { body: { name: 'Rex', categoryId: 1 } });
  await perform('createPet', '/v1/pets', { body: { name: 'Tom', categoryId: 1, status: 'sold' } });
  expect((await perform('listPets', '/v1/pets?limit=1')).headers.get('link')).toMatch(/rel="next"/);
  await perform('getPet', `/v1/pets/${pet.body.id}`);
  const body = { petId: pet.body.id, quantity: 1 };
  const order = await perform<Order>('createOrder', '/v1/store/orders', { body });
  await perform('listOrders', '/v1/store/orders');
  await perform('getOrder', `/v1/store/orders/${order.body.id}`);
  await perform('endOrder', `/v1/store/orders/${order.body.id}`, { body: { status: 'fulfilled' } });
});

it('a repeated request', async () => {
  const once = { body: { name: 'Rex', categoryId: 1 }, headers: { 'idempotency-key': 'once' } };
  const first = await perform('createPet', '/v1/pets', once);
  const again = await perform('createPet', '/v1/pets', once);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(again.body).toEqual(first.body);
  const other = { ...once, key: fixture.key, body: { name: 'Tom', categoryId: 1 } };
  expect(await refuse('createPet', '/v1/pets', other)).toBe('idempotency_key_reused');
});

it('refusals', async () => {
  const { key } = fixture;
  expect(await refuse('listPets', '/v1/pets', {})).toBe('unauthenticated');
  expect(await refuse('listPets', '/v1/pets?limit=0', { key })).toBe('invalid_parameter');
  expect(await refuse('listOrders', '/v1/store/orders?cursor=x', { key })).toBe('invalid_cursor');
  expect(await refuse('listOrders', '/v1/store/orders', { key, headers: { accept: 'text/html' } })).toBe(
    'not_acceptable',
  );
  expect(await refuse('createPet', '/v1/pets', { key, body: '{' })).toBe('malformed_json');
  expect(await refuse('createPet', '/v1/pets', { key, body: 'x', headers: { 'content-type': 'text/plain' } })).toBe(
    'unsupported_media_type',
  );
  expect(await refuse('getPet', '/v1/pets/404', { key })).toBe('not_found');
  expect(await refuse('getPet', '/v1/pets/404', {})).toBe('unauthenticated');
  expect(await refuse('endSession', '/v1/sessions/current', { key })).toBe('forbidden');
  expect(await refuse('addDomain', fixture.path(), { key, body: { name: 'co.uk' } })).toBe('invalid_domain');
  expect(await refuse('addDomain', fixture.path(), { key, body: { name: '*.example.com' } })).toBe(
    'wildcard_needs_dns_challenge',
  );
});

it('projects and deployments', async () => {
  const project = await perform<{ id: string }>('createProject', '/v1/projects', {
    body: { name: 'A', slug: 'every-answer' },
  });
  const path = `/v1/projects/${project.body.id}`;
  await perform('getOrganization', '/v1/organization');
  await perform('listProjects', '/v1/projects');
  await perform('getProject', path);
  const headers = { 'content-type': 'application/gzip' };
  const deployment = await perform<{ id: string }>('createDeployment', `${path}/deployments`, { body: site, headers });
  await perform('listDeployments', `${path}/deployments`);
  await perform(
    'explainUrl',
    `${path}/explain?url=${encodeURIComponent('https://every-answer.pets.localhost/nowhere')}`,
  );
  const one = `${path}/deployments/${deployment.body.id}`;
  await perform('getDeployment', one);
  await perform('getDeploymentChanges', `${one}/changes`);
  const manifest = { body: manifestOf(siteFiles), headers: { 'content-type': 'application/x-ndjson' } };
  const upload = await perform<{ id: string }>('createUpload', `${path}/uploads`, manifest);
  await perform('sendUploadFiles', `${path}/uploads/${upload.body.id}/files`, { body: site, headers });
  await perform('completeUpload', `${path}/uploads/${upload.body.id}/deployment`);
  await perform('activateDeployment', `${one}/activate`);
  await perform('createDeployment', `${path}/deployments`, { body: site, headers });
  const channels = `${path}/channels`;
  await perform('putChannel', `${channels}/pr-12`, { body: { deploymentId: deployment.body.id } });
  await perform('putChannel', `${channels}/pr-12`, { body: { access: 'link' } });
  await perform('createChannelLink', `${channels}/pr-12/links`, { body: {} });
  await perform('endChannelLinks', `${channels}/pr-12/links`);
  await perform('listChannels', channels);
  await perform('getChannel', `${channels}/pr-12`);
  await perform('removeChannel', `${channels}/pr-12`);
  await perform('deleteDeployment', `${path}/deployments/${deployment.body.id}`);
  await perform('updateProject', path, { body: { hsts: { maxAge: 300 } } });
  await perform('putOrigin', `${path}/origin`, { body: { url: 'https://app.example.net', headers: { 'x-key': 'k' } } });
  await perform('testOrigin', `${path}/origin/test`);
  await perform('getOrigin', `${path}/origin`);
  await perform('deleteOrigin', `${path}/origin`);
  expect(await refuse('deleteOrigin', `${path}/origin`, { key: fixture.key })).toBe('not_found');
});

it('domains, on their way and verified', async () => {
  const waiting = await perform<{ id: string; name: string }>('addDomain', fixture.path(), {
    body: { name: fixture.freshName() },
  });
  const one = `${fixture.path()}/${waiting.body.id}`;
  await perform('updateDomain', one, { body: { externalId: 'customer-42', metadata: { tier: 'gold' } } });
  await perform('putDomainOrigin', `${one}/origin`, { body: { url: 'https://app.example.net' } });
  await perform('testDomainOrigin', `${one}/origin/test`);
  await perform('getDomainOrigin', `${one}/origin`);
  await perform('deleteDomainOrigin', `${one}/origin`);
  await perform('watchDomain', `${one}/watch`);
  await perform('verifyDomain', `${one}/verify`);
  await perform('listDomainEvents', `${one}/events?limit=1`);
  const verified = await fixture.verified();
  const events = `/v1/projects/${fixture.projectId}/events?limit=1`;
  expect((await perform('listProjectEvents', events)).headers.get('link')).toMatch(/rel="next"/);
  await fixture.failIssuance(verified.issue, { type: null, detail: 'try again', status: 503, retryAt: null });
  const other = `${fixture.path()}/${verified.id}`;
  await waitUntil(async () => (await perform<Domain>('getDomain', other)).body.issues.length > 0);
  await perform('reverifyDomain', `${other}/reverify`);
  await perform('listDomains', fixture.path());
  await perform('listenToWebhooks', '/v1/webhook-listeners');
  await perform('findDomains', `/v1/domains?name=${verified.name}`);
  await perform('countDomains', fixture.path().replace(/domains$/, 'domain-counts'));
  const excluded = 'a.example.com';
  await fixture.api.db.insertInto('wildcard_exclusions').values({ domain_id: verified.id, name: excluded }).execute();
  await perform('liftExclusion', `${other}/exclusions/${excluded}`);
  const config = { domains: { primary: verified.name, redirects: [] } };
  const configPath = fixture.path().replace(/domains$/, 'domain-config');
  await perform('putDomainConfig', configPath, { body: config });
  const { headers } = await perform('getDomainConfig', configPath);
  const etag = headers.get('etag') ?? '';
  expect((await perform('getDomainConfig', configPath, { headers: { 'if-none-match': etag } })).status).toBe(304);
  const stale = { key: fixture.key, body: config, headers: { 'if-match': '"stale"' } };
  expect(await refuse('putDomainConfig', configPath, stale)).toBe('precondition_failed');
  const batch = { body: { domains: [{ name: fixture.freshName() }, { name: '*.example.com' }] } };
  await perform('addDomains', `${fixture.path()}:batch`, batch);
  await perform('removeDomains', `${fixture.path()}:batchRemove`, batch);
  const imports = `/v1/projects/${fixture.projectId}/domain-imports`;
  const file = Buffer.from(`name\r\n${fixture.freshName()}\r\n`);
  const { body: begun } = await perform<{ id: string }>('createDomainImport', imports, {
    body: file,
    headers: { 'content-type': 'text/csv' },
  });
  await perform('listDomainImports', imports);
  await perform('getDomainImport', `${imports}/${begun.id}`);
  await perform('getDomainImportReport', `${imports}/${begun.id}/report`);
  await perform('cancelDomainImport', `${imports}/${begun.id}/cancel`);
  const certificate = `${one}/certificate`;
  const leaf = await (await createTestCa()).issue({ names: [waiting.body.name] });
  const upload = { certificate: leaf.certPem, privateKey: leaf.keyPem, trust: 'private' };
  await perform('uploadDomainCertificate', certificate, { body: upload });
  const weak = { key: fixture.key, body: { ...upload, trust: 'public' } };
  expect(await refuse('uploadDomainCertificate', certificate, weak)).toBe('certificate_untrusted');
  await perform('updateDomainCertificate', certificate, { body: { prefer: 'automatic' } });
  await perform('getDomainCertificate', certificate);
  await perform('getDomain', one);
  await perform('deleteDomainCertificate', certificate);
  const links = `${one}/setup-links`;
  const link = await perform<CreatedSetupLink>('createSetupLink', links, { body: {} });
  await perform('listSetupLinks', links);
  const look = { name: 'Acme', color: null, supportAddress: null, returnOrigins: [] };
  await perform('putSetupPage', '/v1/setup-page', { body: look });
  const png = { body: plainPng(8, 8, [1, 2, 3]), headers: { 'content-type': 'image/png' } };
  await perform('putSetupLogo', '/v1/setup-page/logo', png);
  await perform('getSetupPage', '/v1/setup-page');
  const body = { token: new URL(link.body.url).hash.slice(1) };
  const { token: key } = (await perform<SetupSession>('createSetupSession', '/v1/setup/sessions', { body })).body;
  await perform('getSetup', '/v1/setup', { key });
  await perform('watchSetup', '/v1/setup/watch', { key });
  const stream = await readStream(`${fixture.api.url}/v1/setup/events`, { authorization: `Bearer ${key}` });
  expect(stream.response.headers['content-type']).toContain('text/event-stream');
  stream.close();
  seen.add('streamSetup');
  expect(await refuse('getSetup', '/v1/setup', { key: fixture.key })).toBe('invalid_api_key');
  await perform('deleteSetupLogo', '/v1/setup-page/logo');
  await perform('deleteSetupLink', `${links}/${link.body.id}`);
  const target = await fixture.createProject(fixture.key, true);
  await perform('moveDomain', `${one}/move`, { body: { projectId: target } });
  await perform('removeDomain', `${fixture.path(target)}/${waiting.body.id}`);
});

it('keys and sessions', async () => {
  const made = await perform<ApiKey>('createApiKey', '/v1/api-keys', { body: { name: 'K', scopes: ['pets:read'] } });
  await perform('listApiKeys', '/v1/api-keys');
  await perform('listAuditEvents', '/v1/audit-events');
  await perform('revokeApiKey', `/v1/api-keys/${made.body.id}`);
  const { id: organizationId } = (await perform<Organization>('getOrganization', '/v1/organization')).body;
  const personId = await insertPerson(fixture.api, organizationId, 'viewer');
  await perform('listPeople', '/v1/people');
  await perform('updatePerson', `/v1/people/${personId}`, { body: { role: 'admin' } });
  await perform('removePerson', `/v1/people/${personId}`);
  const invitation = { name: 'Ada', role: 'viewer' };
  const invited = await perform<Invitation>('createInvitation', '/v1/invitations', { body: invitation });
  await perform('listInvitations', '/v1/invitations');
  await perform('deleteInvitation', `/v1/invitations/${invited.body.id}`);
  const session = await perform<{ secret: string }>('createSession', '/v1/sessions');
  await perform('endSession', '/v1/sessions/current', { key: session.body.secret });
});

it('webhooks', async () => {
  const list = '/v1/webhook-endpoints';
  const body = { url: 'https://hooks.example.com/', eventTypes: ['pet.created'] };
  const made = await perform<WebhookEndpoint>('createWebhookEndpoint', list, { body });
  await perform('createWebhookEndpoint', list, { body });
  expect((await perform('listWebhookEndpoints', `${list}?limit=1`)).headers.get('link')).toMatch(/rel="next"/);
  const one = `${list}/${made.body.id}`;
  await perform('getWebhookEndpoint', one);
  await perform('rotateWebhookSecret', `${one}/rotate-secret`);
  const { body: delivery } = await perform<WebhookDelivery>('testWebhookEndpoint', `${one}/test`);
  const sender = startScriptedSender(fixture.api.messaging);
  await sender.answer(await sender.nextJob(body.url), { status: 500, bodyStart: 'oops' });
  const deliveries = `${one}/deliveries`;
  const path = `${deliveries}/${delivery.id}`;
  await waitUntil(async () => (await perform<WebhookDelivery>('getWebhookDelivery', path)).body.attempts.length > 0);
  await perform('getWebhookStatistics', `${one}/statistics`);
  await perform('testWebhookEndpoint', `${one}/test`);
  const page = await perform('listWebhookDeliveries', `${deliveries}?limit=1`);
  expect(page.headers.get('link')).toMatch(/rel="next"/);
  await perform('replayWebhookDelivery', `${path}/replay`);
  await perform('updateWebhookEndpoint', one, { body: { enabled: false } });
  expect(await refuse('testWebhookEndpoint', `${one}/test`, { key: fixture.key })).toBe('conflict');
  await perform('deleteWebhookEndpoint', one);
  await sender.close();
});

it('every operation was tested', () => {
  expect(Object.keys(operations).filter((id) => !seen.has(id))).toEqual([]);
});
