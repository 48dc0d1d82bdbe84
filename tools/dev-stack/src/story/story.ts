import type { Domain, DomainHistoryEntry } from '@pets/contracts';
import { waitUntil } from '../wait-until.js';
import type { DevRecords } from './dev-records.js';
import type { Answer, StoryClient } from './story-client.js';

/** From "verify" to "live" takes about a second; a machine under load may need longer. */
const LIVE_LIMIT_MS = 60_000;

const SITE = 'docs.example.com';
const ALIAS = 'www.docs-example.net';
const APEX = 'docs-example.org';

export type Telling = {
  readonly client: StoryClient;
  readonly records: DevRecords;
  /** Address of the edge in the stack's DNS, which an apex without a CNAME points at. */
  readonly edgeAddress: string;
  /** A deployed project on a paid plan. */
  readonly projectId: string;
  readonly say: (line: string) => void;
};

/**
 * What the system is for, from the first animal to the last byte of a removed domain. Every step checks what it saw.
 * @throws Error at the first step that does not hold
 */
export async function tellStory(telling: Telling): Promise<void> {
  const { client, projectId, say } = telling;
  for (const name of [SITE, ALIAS, APEX]) await client.api('DELETE', `/v1/projects/${projectId}/domains/${name}`);

  say('\n1  An animal store: create and list');
  await createAndList(telling);
  say(`\n2  A domain of one’s own: add ${SITE}`);
  const site = await addDomain(telling, SITE);
  say('\n3  The record at the registrar, then Verify');
  const seconds = await goLive(telling, site);
  say(`   live ${seconds.toFixed(1)} s after the click on Verify`);
  say('\n4  The visitor');
  await visitSite(telling);
  say(`\n5  A second domain that redirects: ${ALIAS}`);
  await redirect(telling);
  say(`\n6  An apex, which has no CNAME: ${APEX}`);
  await proveApex(telling);
  say(`\n7  Remove ${SITE}`);
  await remove(telling);
  for (const name of [ALIAS, APEX]) await client.api('DELETE', `/v1/projects/${projectId}/domains/${name}`);
}

async function createAndList({ client, say }: Telling): Promise<void> {
  const created = await client.api('POST', '/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' });
  check(created.status === 201, 'createPet', created);
  say(`   POST /v1/pets → ${created.status} ${created.text}`);
  const listed = await client.api<unknown[]>('GET', '/v1/pets?limit=3&status=available');
  check(listed.status === 200 && listed.body.length > 0, 'listPets', listed);
  say(`   GET /v1/pets?limit=3&status=available → ${listed.status}, ${listed.body.length} animals`);
}

async function addDomain({ client, projectId, say }: Telling, name: string): Promise<Domain> {
  const added = await client.api<Domain>('POST', `/v1/projects/${projectId}/domains`, { name });
  check(added.status === 201, 'addDomain', added);
  for (const record of added.body.records)
    say(`   create this: ${record.name} ${record.ttl} ${record.type} ${record.value}`);
  const path = `/v1/projects/${projectId}/domains/${added.body.id}`;
  const diagnosed = await waitUntil(
    async () => {
      const { body } = await client.api<Domain>('GET', path);
      return body.issues.length > 0 && body;
    },
    { timeoutMs: 30_000, message: `the diagnosis of ${name}` },
  );
  say(`   ${diagnosed.state}: ${diagnosed.issues[0]?.message ?? ''}`);
  return added.body;
}

/** @returns seconds from the click on verify to live */
async function goLive(telling: Telling, domain: Domain): Promise<number> {
  const { name, records } = domain;
  const target = records[0]?.value ?? '';
  await telling.records.remove(name);
  await telling.records.put({ name, type: 'CNAME', data: `${target}.` });
  telling.say(`   DNS: ${name} CNAME ${target}`);
  return verify(telling, domain);
}

/** @returns seconds from the click to live */
async function verify({ client, projectId, say }: Telling, { id, name }: Domain): Promise<number> {
  const path = `/v1/projects/${projectId}/domains/${id}`;
  const clickedAt = Date.now();
  const clicked = await client.api('POST', `${path}/verify`);
  check(clicked.status === 202, 'verify', clicked);
  const live = await waitUntil(
    async () => {
      const { body } = await client.api<Domain>('GET', path);
      return body.state === 'live' && body;
    },
    { timeoutMs: LIVE_LIMIT_MS, message: `${name} to go live` },
  );
  const history = await client.api<DomainHistoryEntry[]>('GET', `${path}/events`);
  for (const entry of history.body) say(`   ${entry.at.slice(11, 23)} ${entry.to.padEnd(12)} ${entry.detail}`);
  say(`   certificate by "${live.certificate?.issuer ?? ''}" until ${live.certificate?.notAfter ?? ''}`);
  return (new Date(live.liveAt ?? 0).getTime() - clickedAt) / 1000;
}

/** A provider answers an ALIAS with the addresses behind it, which are the same for everybody: the TXT record says whose it is. */
async function proveApex(telling: Telling): Promise<void> {
  const { client, records, edgeAddress, projectId, say } = telling;
  for (const name of [APEX, proofHostOf(APEX)]) await records.remove(name);
  const domain = await addDomain(telling, APEX);
  await records.put({ name: APEX, type: 'A', data: edgeAddress });
  say(`   DNS: ${APEX} A ${edgeAddress}, as the provider answers for the ALIAS`);
  const path = `/v1/projects/${projectId}/domains/${domain.id}`;
  await client.api('POST', `${path}/verify`);
  const unproven = await waitUntil(
    async () => {
      const { body } = await client.api<Domain>('GET', path);
      return body.issues.every(({ code }) => code === 'ownership_txt_missing') && body;
    },
    { timeoutMs: 30_000, message: 'the address to be seen' },
  );
  check(unproven.state === 'awaiting_dns' && unproven.issues.length === 1, 'the proof', unproven);
  say(`   ${unproven.state}: ${unproven.issues[0]?.message ?? ''}`);
  const token = domain.ownership.record?.value ?? '';
  await records.put({ name: proofHostOf(APEX), type: 'TXT', data: token });
  say(`   DNS: ${proofHostOf(APEX)} TXT ${token}`);
  await verify(telling, domain);
  const visit = await client.visit(APEX);
  check(visit.status === 200, 'the page', visit);
  say(`   GET https://${APEX}/ → ${visit.status}`);
}

function proofHostOf(name: string): string {
  return `_platform-challenge.${name}`;
}

async function visitSite({ client, say }: Telling): Promise<void> {
  const visit = await client.visit(SITE);
  check(visit.status === 200 && visit.body.includes('<h1'), 'the page', visit);
  say(`   GET https://${SITE}/ → ${visit.status}, chain checked up to the CA’s root, issuer "${visit.issuer ?? ''}"`);
}

async function redirect(telling: Telling): Promise<void> {
  const { client, projectId, say } = telling;
  await goLive(telling, await addDomain(telling, ALIAS));
  const config = { domains: { primary: SITE, redirects: [{ from: ALIAS, to: SITE, status: 301 }] } };
  const put = await client.api('PUT', `/v1/projects/${projectId}/domain-config`, config);
  check(put.status === 200, 'domain-config', put);
  const visit = await waitUntil(
    async () => {
      const seen = await client.visit(ALIAS, { path: '/guide?page=2', method: 'HEAD' });
      return seen.status === 301 && seen;
    },
    { timeoutMs: 10_000, message: 'the redirect' },
  );
  const location = new URL(visit.location ?? '');
  check(location.hostname === SITE && location.pathname + location.search === '/guide?page=2', 'the redirect', visit);
  say(`   HEAD https://${ALIAS}/guide?page=2 → ${visit.status} ${visit.location ?? ''}`);
}

async function remove({ client, projectId, say }: Telling): Promise<void> {
  const removed = await client.api('DELETE', `/v1/projects/${projectId}/domains/${SITE}`);
  check(removed.status === 204, 'removeDomain', removed);
  say(`   DELETE → ${removed.status}: traffic has stopped`);
  const outcome = await client.visit(SITE).then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  if (!(outcome instanceof Error)) throw new Error(`${SITE} is removed, and still it ${outcome}`);
  say(`   GET https://${SITE}/ → refused (${outcome.message.split('\n')[0] ?? ''})`);
}

function check(holds: boolean, what: string, seen: Answer<unknown> | object): asserts holds {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}
