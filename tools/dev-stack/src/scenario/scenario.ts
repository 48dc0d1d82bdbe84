import { randomBytes } from 'node:crypto';
import type { CreatedSetupLink, Domain, DomainHistoryEntry, Setup, SetupSession } from '@pets/contracts';
import { waitUntil } from '@pets/testing/processes';
import { createRecords, delegationHostOf, ownershipHostOf, type DevRecords } from './dev-records.js';
import type { Answer, ScenarioClient } from './scenario-client.js';

/** From "verify" to "live" takes about a second; a machine under load may need longer. */
const LIVE_LIMIT_MS = 60_000;
const DIAGNOSIS_LIMIT_MS = 30_000;

/** An address of documentation (RFC 5737), for the host that a site moves away from. */
const OTHER_HOST = '192.0.2.10';

export type Scenario = {
  readonly client: ScenarioClient;
  readonly records: DevRecords;
  /** Address of the edge in the stack's DNS, which an apex without a CNAME points at. */
  readonly edgeAddress: string;
  /** A deployed project on a paid plan. */
  readonly projectId: string;
  readonly say: (line: string) => void;
};

/** Names of one run, which no earlier run has left in DNS, each below a registered domain of its own. */
type Names = {
  readonly site: string;
  readonly alias: string;
  readonly apex: string;
  readonly moving: string;
  readonly linked: string;
};

/**
 * Everything the system is for, from the first animal to the last byte of a removed domain. Each run has names of its
 * own, and removes its domains and records at the end.
 * @throws Error at the first step that does not hold
 */
export async function runScenario(scenario: Scenario): Promise<void> {
  const { say } = scenario;
  const run = randomBytes(3).toString('hex');
  const names = {
    site: `docs.demo-${run}.com`,
    alias: `www.demo-${run}.net`,
    apex: `demo-${run}.org`,
    moving: `shop.demo-${run}.io`,
    linked: `www.demo-${run}.dev`,
  };
  try {
    say('\n1  The animal store: create and list');
    await createAndList(scenario);
    say(`\n2  A custom domain: add ${names.site}`);
    const site = await addDomain(scenario, names.site);
    say('\n3  Create the record at the DNS provider, then verify');
    const seconds = await goLive(scenario, site);
    say(`   live ${seconds.toFixed(1)} s after the request to verify`);
    say('\n4  Visit the site');
    await visitSite(scenario, names);
    say(`\n5  Redirect a second domain: ${names.alias}`);
    await redirect(scenario, names);
    say(`\n6  An apex, which cannot have a CNAME: ${names.apex}`);
    await proveApex(scenario, names);
    say(`\n7  A site that is live elsewhere, moved without a gap: ${names.moving}`);
    await moveSite(scenario, names);
    say(`\n8  A customer sets up ${names.linked} by a link, without an account`);
    await setUpByLink(scenario, names);
    say(`\n9  Remove ${names.site}`);
    await remove(scenario, names);
  } finally {
    await cleanUp(scenario, names);
  }
}

async function createAndList({ client, say }: Scenario): Promise<void> {
  const created = await client.api('POST', '/v1/pets', { name: 'Rex', categoryId: 1, status: 'available' });
  check(created.status === 201, 'createPet', created);
  say(`   POST /v1/pets → ${created.status} ${created.text}`);
  const listed = await client.api<unknown[]>('GET', '/v1/pets?limit=3&status=available');
  check(listed.status === 200 && listed.body.length > 0, 'listPets', listed);
  say(`   GET /v1/pets?limit=3&status=available → ${listed.status}, ${listed.body.length} animals`);
}

async function addDomain({ client, projectId, say }: Scenario, name: string): Promise<Domain> {
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
    { timeoutMs: DIAGNOSIS_LIMIT_MS, message: `the diagnosis of ${name}` },
  );
  say(`   ${diagnosed.state}: ${diagnosed.issues[0]?.message ?? ''}`);
  return added.body;
}

/** @returns seconds from the request to verify to live */
async function goLive(scenario: Scenario, domain: Domain): Promise<number> {
  const { records, edgeAddress, say } = scenario;
  for (const line of await createRecords(records, domain, edgeAddress)) say(`   DNS: ${line}`);
  return verify(scenario, domain);
}

/** @returns seconds from the request to live */
async function verify({ client, projectId, say }: Scenario, { id, name }: Domain): Promise<number> {
  const path = `/v1/projects/${projectId}/domains/${id}`;
  const requestedAt = Date.now();
  const requested = await client.api('POST', `${path}/verify`);
  check(requested.status === 202, 'verify', requested);
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
  return (new Date(live.liveAt ?? 0).getTime() - requestedAt) / 1000;
}

/** The addresses behind an ALIAS are the same for every customer, so the TXT record has to prove whose name it is. */
async function proveApex(scenario: Scenario, { apex }: Names): Promise<void> {
  const { client, records, edgeAddress, projectId, say } = scenario;
  const domain = await addDomain(scenario, apex);
  await records.put({ name: apex, type: 'A', data: edgeAddress });
  say(`   DNS: ${apex} A ${edgeAddress}, as the provider answers for the ALIAS`);
  const path = `/v1/projects/${projectId}/domains/${domain.id}`;
  await client.api('POST', `${path}/verify`);
  const unproven = await waitUntil(
    async () => {
      const { body } = await client.api<Domain>('GET', path);
      return body.issues.every(({ code }) => code === 'ownership_txt_missing') && body;
    },
    { timeoutMs: DIAGNOSIS_LIMIT_MS, message: 'the address to be seen' },
  );
  check(unproven.state === 'awaiting_dns' && unproven.issues.length === 1, 'the proof', unproven);
  say(`   ${unproven.state}: ${unproven.issues[0]?.message ?? ''}`);
  await goLive(scenario, domain);
  const visit = await client.visit(apex);
  check(visit.status === 200, 'the page', visit);
  say(`   GET https://${apex}/ → ${visit.status}`);
}

/** The certificate is there, and the edge serves the name, before its DNS record is switched. */
async function moveSite(scenario: Scenario, { moving }: Names): Promise<void> {
  const { client, records, edgeAddress, projectId, say } = scenario;
  await records.put({ name: moving, type: 'A', data: OTHER_HOST });
  say(`   DNS: ${moving} A ${OTHER_HOST}, where its visitors go today`);
  const domain = await addDomain(scenario, moving);
  if (!domain.records.some(({ purpose }) => purpose === 'delegation')) {
    say('   this stack has no name server for challenges (ACME_DNS_ZONE): the record would have to be switched first');
    return;
  }
  for (const line of await createRecords(records, domain, edgeAddress, ['delegation'])) say(`   DNS: ${line}`);
  const path = `/v1/projects/${projectId}/domains/${domain.id}`;
  await client.api('POST', `${path}/verify`);
  const ready = await waitUntil(
    async () => {
      const { body } = await client.api<Domain>('GET', path);
      return body.readiness?.state === 'ready' && body;
    },
    { timeoutMs: LIVE_LIMIT_MS, message: `${moving} to be ready` },
  );
  check(ready.state === 'awaiting_dns' && ready.certificate?.state === 'issued', 'the preparation', ready);
  say(`   ${ready.state}, certificate ${ready.certificate.state} by ${ready.certificate.method ?? ''}`);
  say(`   ${ready.readiness?.state ?? ''}: ${ready.readiness?.message ?? ''}`);
  const before = await client.visit(moving);
  check(before.status === 200, 'the page before the switch', before);
  say(`   GET https://${moving}/ at the edge, before the switch → ${before.status}`);
  await goLive(scenario, domain);
  const visit = await client.visit(moving);
  check(visit.status === 200, 'the page', visit);
  say(`   GET https://${moving}/ → ${visit.status}`);
}

/** The owner of the name has the link and the password of the DNS provider, and nothing else. */
async function setUpByLink(
  { client, records, edgeAddress, projectId, say }: Scenario,
  { linked }: Names,
): Promise<void> {
  const path = `/v1/projects/${projectId}/domains`;
  const added = await client.api<Domain>('POST', path, { name: linked });
  check(added.status === 201, 'addDomain', added);
  const link = await client.api<CreatedSetupLink>('POST', `${path}/${added.body.id}/setup-links`, {});
  check(link.status === 201, 'createSetupLink', link);
  const { origin, pathname, hash } = new URL(link.body.url);
  say(`   the link: ${origin}${pathname}#${hash.slice(1, 5)}…`);
  const session = await client.setup<SetupSession>(null, 'POST', '/v1/setup/sessions', { token: hash.slice(1) });
  const { token } = session.body;
  const page = await client.setup<Setup>(token, 'GET', '/v1/setup');
  const [shown] = page.body.domains;
  check(page.status === 200 && shown !== undefined, 'the page of the link', page);
  for (const line of await createRecords(records, shown, edgeAddress)) say(`   DNS: ${line}`);
  await waitUntil(
    async () => (await client.setup<Setup>(token, 'POST', '/v1/setup/watch')).body.domains[0]?.state === 'live',
    { timeoutMs: LIVE_LIMIT_MS, intervalMs: 250, message: `${linked} to go live` },
  );
  const visit = await client.visit(linked);
  check(visit.status === 200, 'the page', visit);
  say(`   live without a click; GET https://${linked}/ → ${visit.status}`);
  const refused = await client.setup(token, 'GET', path);
  check(refused.status === 401, 'a request beyond the link', refused);
  say(`   GET /v1/projects/…/domains with the token of the link → ${refused.status}`);
}

async function visitSite({ client, say }: Scenario, { site }: Names): Promise<void> {
  const visit = await client.visit(site);
  check(visit.status === 200 && visit.body.includes('<h1'), 'the page', visit);
  say(`   GET https://${site}/ → ${visit.status}, chain checked up to the CA’s root, issuer "${visit.issuer ?? ''}"`);
}

async function redirect(scenario: Scenario, { site, alias }: Names): Promise<void> {
  const { client, projectId, say } = scenario;
  await goLive(scenario, await addDomain(scenario, alias));
  const config = { domains: { primary: site, redirects: [{ from: alias, to: site, status: 301 }] } };
  const put = await client.api('PUT', `/v1/projects/${projectId}/domain-config`, config);
  check(put.status === 200, 'domain-config', put);
  const visit = await waitUntil(
    async () => {
      const seen = await client.visit(alias, { path: '/guide?page=2', method: 'HEAD' });
      return seen.status === 301 && seen;
    },
    { message: 'the redirect' },
  );
  const location = new URL(visit.location ?? '');
  check(location.hostname === site && location.pathname + location.search === '/guide?page=2', 'the redirect', visit);
  say(`   HEAD https://${alias}/guide?page=2 → ${visit.status} ${visit.location ?? ''}`);
}

async function remove({ client, projectId, say }: Scenario, { site }: Names): Promise<void> {
  const removed = await client.api('DELETE', `/v1/projects/${projectId}/domains/${site}`);
  check(removed.status === 204, 'removeDomain', removed);
  say(`   DELETE → ${removed.status}: traffic has stopped`);
  const outcome = await client.visit(site).then(
    ({ status }) => `answered ${status}`,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  if (!(outcome instanceof Error)) throw new Error(`${site} is removed, and still it ${outcome}`);
  say(`   GET https://${site}/ → refused (${outcome.message.split('\n')[0] ?? ''})`);
}

async function cleanUp({ client, records, projectId }: Scenario, names: Names): Promise<void> {
  const all = Object.values(names);
  for (const name of all) await client.api('DELETE', `/v1/projects/${projectId}/domains/${name}`);
  const others = [ownershipHostOf(names.apex), delegationHostOf(names.moving)];
  for (const name of [...all, ...others]) await records.remove(name);
}

/** @throws Error with what was seen, unless it holds */
export function check(holds: boolean, what: string, seen: Answer<unknown> | object): asserts holds {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}
