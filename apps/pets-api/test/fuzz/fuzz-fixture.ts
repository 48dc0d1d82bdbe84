import {
  MAX_SETUP_LINKS,
  scopes,
  uploadLimits,
  type ChannelAccess,
  type CreatedSetupLink,
  type Domain,
  type DomainImport,
  type SetupSession,
  type Project,
} from '@pets/contracts';
import { createTestCa, waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { generateKey } from '../../src/access/api-keys/key-format.js';
import { manifestOf, site, siteFiles } from '../projects/bundles.js';
import { addPeople, organizationOf, type AddedPeople } from '../access/member-steps.js';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import type { DescribedOperation } from './document.js';
import { openWire, type Send } from './wire.js';

export type PathParameters = Readonly<Record<string, string>>;

/** Ids by what they are of. A domain goes with its project, a delivery with its endpoint. */
interface Belongings extends AddedPeople {
  readonly pets: readonly PathParameters[];
  readonly orders: readonly PathParameters[];
  readonly projects: readonly PathParameters[];
  readonly deployments: readonly PathParameters[];
  readonly removableDeployments: readonly PathParameters[];
  /** Uploads to which nothing was sent, and that nobody completes. */
  readonly openUploads: readonly PathParameters[];
  /** Uploads that lack nothing. */
  readonly sentUploads: readonly PathParameters[];
  readonly channels: readonly PathParameters[];
  readonly removableChannels: readonly PathParameters[];
  /** Channels that nothing but their links changes. */
  readonly protectedChannels: readonly PathParameters[];
  readonly domains: readonly PathParameters[];
  /** Domains with an origin of their own that may be removed. */
  readonly forwardedDomains: readonly PathParameters[];
  /** Domains that may be removed without anybody missing them. */
  readonly removableDomains: readonly PathParameters[];
  /** Names that domains exclude, each of which may be lifted once. */
  readonly exclusions: readonly PathParameters[];
  /** Domains with a certificate of their owner, which nobody deletes. */
  readonly certifiedDomains: readonly PathParameters[];
  /** Imports that have ended. */
  readonly imports: readonly PathParameters[];
  readonly setupLinks: readonly PathParameters[];
  readonly apiKeys: readonly PathParameters[];
  readonly endpoints: readonly PathParameters[];
  /** Endpoints that may be disabled: nothing is sent there then. */
  readonly changeableEndpoints: readonly PathParameters[];
  readonly removableEndpoints: readonly PathParameters[];
  readonly deliveries: readonly PathParameters[];
  /** URL of the first project below the platform domain. */
  readonly platformUrl: string;
  /** Names of the domains of the first project. */
  readonly domainNames: readonly string[];
  /** A certificate for all of them. */
  readonly upload: { readonly certificate: string; readonly privateKey: string; readonly trust: string };
}

export interface Keys {
  /** Key with every scope. */
  readonly full: string;
  readonly session: string;
  readonly revoked: string;
  readonly expired: string;
  /** A well-formed key that does not exist. */
  readonly unknown: string;
  /** Key that only production takes. */
  readonly otherEnvironment: string;
  readonly without: ReadonlyMap<string, string>;
  /** Tokens of set-up links. */
  readonly linkTokens: readonly string[];
  /** A token of a page of one of them: another one each time, since requests are counted by link. */
  readonly nextSetupToken: () => string;
}

/** The whole application, with one organization that asks and another that must not be noticed. */
export interface FuzzFixture {
  readonly own: Belongings;
  readonly foreign: Belongings;
  readonly keys: Keys;
  /** Cursors of lists without a filter, by the list's path. */
  readonly cursors: ReadonlyMap<string, string>;
  readonly send: Send;
  openSession(): Promise<string>;
  /** Everything that a request could change, in one text. */
  snapshot(): Promise<string>;
  close(): Promise<void>;
}

/** The key that may do an operation. */
export function keyFor({ holder }: DescribedOperation, { session, full, nextSetupToken }: Keys): string {
  if (holder === 'setup_link') return nextSetupToken();
  return holder === 'session' ? session : full;
}

const ORDERS = 40;
const DAY_MS = 86_400_000;

export async function startFuzzFixture(): Promise<FuzzFixture> {
  // Many set-up links are opened from one address.
  const fixture = await startDomainFixture(undefined, { SIGN_INS_PER_MINUTE: '0' });
  const wire = openWire(fixture.api.url);
  // Many requests of one operation come at the same time and one after the other: what is valid must not depend on how many.
  await sql`insert into plan_limits (plan, name, value)
    values ('pro', 'concurrentUploads', 1000), ('pro', 'keptDeployments', 100000), ('pro', 'channelsPerProject', 1000)
    on conflict (plan, name) do update set value = excluded.value`.execute(fixture.api.db);
  const other = await fixture.api.createOrganization('pro');
  const own = await furnish(fixture, { key: fixture.key, projectId: fixture.projectId, orders: ORDERS });
  const foreignProject = await fixture.createProject(other.key, true);
  return {
    own: { ...own, domains: [...own.domains, ...(await failCertificates(fixture, 2))] },
    foreign: await furnish(fixture, { key: other.key, projectId: foreignProject, orders: 2 }),
    keys: await makeKeys(fixture),
    cursors: await findCursors(fixture),
    send: wire.send,
    openSession: () => openSession(fixture),
    snapshot: () => snapshot(fixture),
    close: async () => {
      wire.close();
      await fixture.close();
    },
  };
}

/** Gives an organization some of everything, on top of its first project. */
async function furnish(
  fixture: DomainFixture,
  { key, projectId, orders }: { key: string; projectId: string; orders: number },
): Promise<Belongings> {
  const post = async (path: string, body: unknown) => {
    const answer = await fixture.api.request<{ id: number | string }>('POST', path, { key, body });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
    return String(answer.body.id);
  };
  const pets = await times(orders * 2, (nth) => post('/v1/pets', { name: `Pet ${nth}`, categoryId: nth }));
  const ordered = pets.slice(0, orders);
  const addDomain = async () => {
    const name = fixture.freshName();
    return { name, id: await post(fixture.path(projectId), { name }) };
  };
  const domains = await times(6, addDomain);
  const [certified, forwarded] = [await times(2, addDomain), await times(4, addDomain)];
  const uploaded = [...domains, ...certified].map(({ id }) => id);
  const upload = await uploadAll(fixture, { key, projectId, ids: uploaded });
  const more = await times(4, (nth) => fixture.createProject(key, nth > 0));
  const ofProjects = [projectId, ...more].map((each) => `/v1/projects/${each}`);
  const ofDomains = [...domains, ...forwarded].map(({ id }) => `${fixture.path(projectId)}/${id}`);
  for (const each of [...ofProjects, ...ofDomains]) await setOrigin(fixture, key, each);
  const project = await fixture.api.request<Project>('GET', `/v1/projects/${projectId}`, { key });
  return {
    platformUrl: project.body.platformUrl,
    pets: pets.map((petId) => ({ petId })),
    orders: await times(orders, async (nth) => ({
      orderId: await post('/v1/store/orders', { petId: Number(ordered[nth]), quantity: 1 }),
    })),
    projects: [projectId, ...more].map((each) => ({ projectId: each })),
    deployments: await deploy(fixture, key, projectId, 20),
    removableDeployments: await deploy(fixture, key, projectId, 4),
    // In projects of their own: others end the oldest.
    openUploads: await openUploads(fixture, key, await fixture.createProject(key, false)),
    sentUploads: await openUploads(fixture, key, await fixture.createProject(key, true)),
    channels: await openChannels(fixture, key, projectId, 'kept'),
    removableChannels: await openChannels(fixture, key, projectId, 'gone'),
    protectedChannels: await openChannels(fixture, key, projectId, 'protected', 'link'),
    domains: domains.flatMap(({ id, name }) => [id, name].map((domain) => ({ projectId, domain }))),
    forwardedDomains: forwarded.map(({ id }) => ({ projectId, domain: id })),
    removableDomains: (await times(6, addDomain)).map(({ id }) => ({ projectId, domain: id })),
    exclusions: await exclude(fixture, projectId, domains[0]?.id ?? ''),
    certifiedDomains: certified.map(({ id }) => ({ projectId, domain: id })),
    imports: await times(2, () => importDomains(fixture, key, projectId)),
    setupLinks: await times(5, async () => {
      const domain = certified[0]?.id ?? '';
      return { projectId, domain, setupLinkId: await post(`${fixture.path(projectId)}/${domain}/setup-links`, {}) };
    }),
    apiKeys: await times(3, async (nth) => ({
      apiKeyId: await post('/v1/api-keys', { name: `Key ${nth}`, scopes: ['pets:read'] }),
    })),
    ...(await addPeople(fixture.api, { key, projectId })),
    ...(await listen(fixture, key)),
    domainNames: domains.map(({ name }) => name),
    upload,
  };
}

async function setOrigin({ api }: DomainFixture, key: string, path: string): Promise<void> {
  const body = { url: 'https://app.example.net', headers: { 'x-key': 'secret' } };
  const { status, text } = await api.request('PUT', `${path}/origin`, { key, body });
  if (status !== 200) throw new Error(`an origin was refused: ${status} ${text}`);
}

/** A few of them, so that each is lifted by a test sooner or later. */
async function exclude({ api }: DomainFixture, projectId: string, domain: string): Promise<PathParameters[]> {
  const names = ['a', 'b', 'c'].map((label) => `${label}.excluded-example.com`);
  const rows = names.map((name) => ({ domain_id: domain, name }));
  await api.db.insertInto('wildcard_exclusions').values(rows).execute();
  return names.map((name) => ({ projectId, domain, name }));
}

/** Gives domains a certificate of their owner. */
async function uploadAll(
  fixture: DomainFixture,
  { key, projectId, ids }: { readonly key: string; readonly projectId: string; readonly ids: readonly string[] },
): Promise<Belongings['upload']> {
  const { certPem: certificate, keyPem: privateKey } = await (await createTestCa()).issue({ names: ['*.example.com'] });
  const upload = { certificate, privateKey, trust: 'private' };
  const put = (id: string) =>
    fixture.api.request('PUT', `${fixture.path(projectId)}/${id}/certificate`, { key, body: upload });
  const answers = await Promise.all(ids.map(put));
  if (answers.some(({ status }) => status !== 200)) throw new Error('an upload was refused');
  return upload;
}

/** Endpoints that tests may delete, and one with a delivery. It has no subscription to later events. */
async function listen({ api }: DomainFixture, key: string) {
  const request = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await api.request<T>(method, path, { key, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const create = async (eventType: string): Promise<string> => {
    const body = { url: 'https://receiver.example/', eventTypes: [eventType] };
    return (await request<{ id: string }>('POST', '/v1/webhook-endpoints', body)).id;
  };
  const notified = await create('pet.created');
  await request('POST', '/v1/pets', { name: 'Notified', categoryId: 1 });
  const deliveries = await request<{ id: string }[]>('GET', `/v1/webhook-endpoints/${notified}/deliveries`);
  await request('PATCH', `/v1/webhook-endpoints/${notified}`, { eventTypes: ['domain.live'] });
  return {
    endpoints: [{ endpointId: notified }],
    changeableEndpoints: await times(2, async () => ({ endpointId: await create('domain.live') })),
    removableEndpoints: await times(4, async () => ({ endpointId: await create('domain.live') })),
    deliveries: deliveries.map(({ id }) => ({ endpointId: notified, deliveryId: id })),
  };
}

/** Many, since concurrent requests with one key for the same deployment would conflict. */
async function deploy(
  { api }: DomainFixture,
  key: string,
  projectId: string,
  count: number,
): Promise<PathParameters[]> {
  const path = `/v1/projects/${projectId}/deployments`;
  const headers = { 'content-type': 'application/gzip' };
  return times(count, async () => {
    const { body } = await api.request<{ id: string }>('POST', path, { key, body: site, headers });
    return { projectId, deploymentId: body.id };
  });
}

/** Opens as many uploads as a project may have; they lack nothing where the project has a deployment. */
async function openUploads({ api }: DomainFixture, key: string, projectId: string): Promise<PathParameters[]> {
  const path = `/v1/projects/${projectId}/uploads`;
  const headers = { 'content-type': 'application/x-ndjson' };
  return times(uploadLimits.openOfProject, async () => {
    const { body } = await api.request<{ id: string }>('POST', path, { key, body: manifestOf(siteFiles), headers });
    return { projectId, uploadId: body.id };
  });
}

/** Names that the other organization does not have. */
async function openChannels(
  { api }: DomainFixture,
  key: string,
  projectId: string,
  prefix: string,
  access: ChannelAccess = 'public',
): Promise<PathParameters[]> {
  const headers = { 'content-type': 'application/gzip' };
  return times(4, async (nth) => {
    const channel = `${prefix}-${projectId.slice(0, 8)}-${nth}`;
    const path = `/v1/projects/${projectId}/deployments?channel=${channel}&access=${access}`;
    const { status, text } = await api.request('POST', path, { key, body: site, headers });
    if (status !== 201) throw new Error(`POST ${path}: ${status} ${text}`);
    return { projectId, channel };
  });
}

/** An import that adds nothing: the name in its file is no host name. */
async function importDomains({ api }: DomainFixture, key: string, projectId: string): Promise<PathParameters> {
  const path = `/v1/projects/${projectId}/domain-imports`;
  const headers = { 'content-type': 'application/x-ndjson' };
  const started = await api.request<DomainImport>('POST', path, { key, body: Buffer.from('"-"\n'), headers });
  if (started.status !== 201) throw new Error(`POST ${path}: ${started.status} ${started.text}`);
  const { id } = started.body;
  await waitUntil(async () => {
    const { body } = await api.request<DomainImport>('GET', `${path}/${id}`, { key });
    return body.state === 'finished';
  });
  return { projectId, importId: id };
}

/** Domains whose certificate was refused, so that issuance can be retried. */
async function failCertificates(fixture: DomainFixture, count: number): Promise<PathParameters[]> {
  return times(count, async () => {
    const { id, issue } = await fixture.verified();
    // Not tried again meanwhile, however long the suite takes: an attempt under way would be in the way.
    const retryAt = '2036-01-01T00:00:00.000Z';
    await fixture.failIssuance(issue, { type: null, detail: 'try again', status: 503, retryAt });
    const hasFailed = async () => {
      const { body } = await fixture.api.request<Domain>('GET', `${fixture.path()}/${id}`, { key: fixture.key });
      return body.issues.length > 0;
    };
    await waitUntil(hasFailed);
    return { projectId: fixture.projectId, domain: id };
  });
}

async function times<Made>(count: number, make: (nth: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  for (let nth = 0; nth < count; nth++) made.push(await make(nth));
  return made;
}

async function makeKeys(fixture: DomainFixture): Promise<Keys> {
  const { api, key, projectId } = fixture;
  const organizationId = await organizationOf(api, projectId);
  const without = new Map<string, string>();
  for (const scope of scopes) {
    const others = scopes.filter((each) => each !== scope);
    without.set(scope, await api.createKey(organizationId, { scopes: others }));
  }
  const revoked = await api.createKey(organizationId);
  const { body: all } = await api.request<{ id: string; display: string }[]>('GET', '/v1/api-keys', { key });
  const id = all.find(({ display }) => display.endsWith(revoked.slice(-4)))?.id ?? '';
  const { status } = await api.request('DELETE', `/v1/api-keys/${id}`, { key });
  if (status !== 204) throw new Error(`the key was not revoked: ${status}`);
  const linkTokens = await makeLinks(fixture);
  const tokens = await Promise.all(linkTokens.map((token) => openLink(fixture, token)));
  let opened = 0;
  return {
    linkTokens,
    nextSetupToken: () => tokens[opened++ % tokens.length] ?? '',
    full: key,
    session: await openSession(fixture),
    revoked,
    // Recently: keys that expired long ago are deleted meanwhile.
    expired: await api.createKey(organizationId, { expiresAt: new Date(Date.now() - DAY_MS) }),
    unknown: generateKey('pets_test_', 'api_key'),
    otherEnvironment: generateKey('pets_live_', 'api_key'),
    without,
  };
}

/** Makes as many links as a domain may have, of a domain that no test changes. */
async function makeLinks(fixture: DomainFixture): Promise<string[]> {
  const { id } = await fixture.add(fixture.freshName());
  return times(MAX_SETUP_LINKS, async () => {
    const path = `${fixture.path()}/${id}/setup-links`;
    const { body } = await fixture.api.request<CreatedSetupLink>('POST', path, { key: fixture.key, body: {} });
    return new URL(body.url).hash.slice(1);
  });
}

async function openLink({ api }: DomainFixture, token: string): Promise<string> {
  return (await api.request<SetupSession>('POST', '/v1/setup/sessions', { body: { token } })).body.token;
}

async function openSession({ api, key }: DomainFixture): Promise<string> {
  return (await api.request<{ secret: string }>('POST', '/v1/sessions', { key })).body.secret;
}

async function findCursors({ api, key }: DomainFixture): Promise<Map<string, string>> {
  const cursors = new Map<string, string>();
  for (const path of ['/v1/pets', '/v1/store/orders', '/v1/projects', '/v1/api-keys']) {
    const { headers } = await api.request('GET', `${path}?limit=1`, { key });
    const cursor = /[?&]cursor=([^&>]+)/.exec(headers.get('link') ?? '')?.[1];
    if (cursor === undefined) throw new Error(`${path} has no second page`);
    cursors.set(path, cursor);
  }
  return cursors;
}

/** Data that only requests change; the lifecycle of domains continues meanwhile. */
async function snapshot({ api: { db } }: DomainFixture): Promise<string> {
  const parts = [
    sql`select md5(string_agg(t::text, '' order by id)) as part from pets t`,
    sql`select md5(string_agg(t::text, '' order by id)) as part from orders t`,
    sql`select md5(string_agg(slug || name || domain_config::text || coalesce(hsts::text, '') || trailing_slash, '' order by id)) as part from projects`,
    sql`select md5(string_agg(content_hash || coalesce(activation, 0), '' order by id)) as part from deployments`,
    sql`select md5(string_agg(t::text, '' order by id)) as part from deployment_uploads t`,
    sql`select md5(string_agg(t::text, '' order by id)) as part from channels t`,
    sql`select md5(string_agg(name || (state = 'removed') || requested_at, '' order by id)) as part from domains`,
    sql`select md5(string_agg(name || coalesce(revoked_at::text, ''), '' order by id)) as part from api_keys`,
    sql`select md5(string_agg(id::text, '' order by id)) as part from sessions`,
    sql`select md5(string_agg(id::text, '' order by id)) as part from setup_links`,
    sql`select md5(string_agg(t::text, '' order by organization_id)) as part from setup_pages t`,
    sql`select md5(string_agg(role || coalesce(removed_at::text, ''), '' order by id)) as part from people`,
    sql`select md5(string_agg(e::text, '' order by id)) as part from webhook_endpoints e`,
    sql`select md5(string_agg(id::text, '' order by id)) as part from webhook_secrets`,
    sql`select md5(string_agg(key || path, '' order by key, path)) as part from idempotent_answers`,
  ];
  const results = await Promise.all(parts.map((part) => part.execute(db)));
  return JSON.stringify(results.map(({ rows }) => rows));
}
