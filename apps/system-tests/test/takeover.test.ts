/** Two organizations claim one name, on a complete stack: which DNS records move it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { brokenSetups, createScenarioClient, DEV_EDGE_ADDRESS, openDevRecords, type DevRecords } from '@pets/dev-stack';
import { startTestStack, type TestStack } from '@pets/lab';
import { waitUntil } from '@pets/testing';
import pg from 'pg';
import { describeBrokenSetups } from './broken-setups.js';
import { addDomain, at, deployProject, getDomain, goLive, openPets, type DomainFixture } from './domain-steps.js';

jest.setTimeout(180_000);

const APEX = 'victim.com';
const WWW = 'www.victim.com';

let dataDir: string;
let stack: TestStack;
let records: DevRecords;
let victim: DomainFixture;
let attacker: DomainFixture;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pets-system-'));
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  stack = await startTestStack({ dataDir, env });
  records = openDevRecords(stack.dev);
  const visitor = createScenarioClient(stack.dev, await readFile(stack.dev.caCertificatePath, 'utf8'));
  const createRecord = (name: string, target: string) => records.put({ name, type: 'CNAME', data: `${target}.` });
  victim = { pets: openPets(stack.dev), visitor, projectId: stack.dev.projectId, createRecord };
  await raisePlan(stack.dev.freeProjectId);
  const access = { apiUrl: stack.dev.apiUrl, apiKey: stack.dev.freeApiKey };
  const pets = openPets(access);
  attacker = { ...victim, pets, projectId: await deployProject(access, 'attacker') };
  const [params, body] = [{ path: { projectId: attacker.projectId } }, { name: 'docs.attacker.com' }];
  const add = () => pets.POST('/v1/projects/{projectId}/domains', { params, body });
  await waitUntil(async () => (await add()).response.status === 201, { message: 'the plan to be known' });
});
afterAll(async () => {
  await stack?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

async function raisePlan(projectId: string): Promise<void> {
  const ofProject = '(select organization_id from projects where id = $1)';
  await query(`update organizations set plan = 'pro' where id = ${ofProject}`, [projectId]);
}

async function query(text: string, values: readonly string[]): Promise<void> {
  const database = new pg.Client({ connectionString: stack.dev.databaseUrl });
  await database.connect();
  await database.query(text, [...values]);
  await database.end();
}

const issueCodesOf = async (fixture: DomainFixture) => (await getDomain(fixture, APEX)).issues.map(({ code }) => code);

describe('a name that moves to another organization with its records and the proof', () => {
  const NAME = 'docs.moving.com';

  it('has the certificate of its former owner revoked by the CA, which the history of the former owner says', async () => {
    await goLive(victim, NAME, await addDomain(victim, NAME));
    const target = await addDomain(attacker, NAME);
    const token = (await getDomain(attacker, NAME)).ownership.record?.value ?? '';
    await records.put({ name: `_platform-challenge.${NAME}`, type: 'TXT', data: token });
    await attacker.createRecord(NAME, target);
    await attacker.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(attacker, NAME));
    const path = '/v1/projects/{projectId}/domains/{domain}/events';
    const history = async () => (await victim.pets.GET(path, at(victim, NAME))).data ?? [];
    const isRevoked = async () => (await history()).some(({ type }) => type === 'certificate.revoked');
    await waitUntil(isRevoked, { timeoutMs: 30_000, message: 'the revocation' });
    expect((await history()).slice(-2).map(({ type, to }) => `${type} → ${to}`)).toEqual([
      'owner.lost → removed',
      'certificate.revoked → removed',
    ]);
    await waitUntil(async () => (await getDomain(attacker, NAME)).state === 'live', {
      timeoutMs: 60_000,
      message: 'live',
    });
  });
});

describe('an apex whose address is at our edge, and that its owner has not added', () => {
  it('is not given to another organization that adds it without the TXT record', async () => {
    await goLive(victim, WWW, await addDomain(victim, WWW));
    await records.put({ name: APEX, type: 'A', data: '127.0.0.1' });
    await addDomain(attacker, APEX);
    const { ownership, records: instructions } = await getDomain(attacker, APEX);
    expect(ownership).toMatchObject({ required: true, state: 'pending' });
    expect(instructions.map(({ type, name }) => `${type} ${name}`)).toEqual([
      'ALIAS @',
      'TXT _platform-challenge',
      'CNAME _acme-challenge',
    ]);
    await attacker.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(attacker, APEX));
    await waitUntil(async () => (await issueCodesOf(attacker)).length > 0, { message: 'the diagnosis' });
    expect(await issueCodesOf(attacker)).toEqual(['ownership_txt_missing']);
    expect((await getDomain(attacker, APEX)).state).toBe('awaiting_dns');
    await expect(victim.visitor.visit(APEX)).rejects.toThrow();
  });

  it('goes live for the organization that shows the TXT record', async () => {
    await addDomain(victim, APEX);
    const { ownership } = await getDomain(victim, APEX);
    await records.put({ name: `_platform-challenge.${APEX}`, type: 'TXT', data: ownership.record?.value ?? '' });
    await victim.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(victim, APEX));
    const isLive = async () => (await getDomain(victim, APEX)).state === 'live';
    await waitUntil(isLive, { timeoutMs: 60_000, message: `${APEX} to go live` });
    expect((await getDomain(victim, APEX)).ownership.state).toBe('proven');
    expect((await victim.visitor.visit(APEX)).body).toContain('Acme');
    expect((await getDomain(attacker, APEX)).state).toBe('awaiting_dns');
  });
});

describe('an apex whose www name its organization holds already', () => {
  const twinOf = (apex: string) => `www.${apex}`;
  const add = async (apex: string) => {
    await goLive(victim, twinOf(apex), await addDomain(victim, twinOf(apex)));
    await records.put({ name: apex, type: 'A', data: '127.0.0.1' });
    await addDomain(victim, apex);
  };

  it('goes live by its address, without the TXT record', async () => {
    await add('holder.com');
    expect((await getDomain(victim, 'holder.com')).ownership.required).toBe(false);
    const isLive = async () => (await getDomain(victim, 'holder.com')).state === 'live';
    await waitUntil(isLive, { timeoutMs: 60_000, message: 'holder.com to go live' });
    expect((await victim.visitor.visit('holder.com')).body).toContain('Acme');
  });

  it('needs the TXT record where the www name is in a zone of its own', async () => {
    await records.put({ name: twinOf('cut.com'), type: 'NS', data: 'ns.elsewhere.example.' });
    await add('cut.com');
    const codes = async () => (await getDomain(victim, 'cut.com')).issues.map(({ code }) => code);
    await waitUntil(async () => (await codes()).includes('ownership_txt_missing'), { message: 'the diagnosis' });
    const { state, ownership } = await getDomain(victim, 'cut.com');
    expect([state, ownership.required]).toEqual(['awaiting_dns', true]);
  });
});

describe('a name whose CNAME is flattened by its provider', () => {
  const NAME = 'docs.flattened.com';
  const PROOF = `_platform-challenge.${NAME}`;
  const verify = (fixture: DomainFixture) =>
    fixture.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(fixture, NAME));
  const tokenOf = async (fixture: DomainFixture) => {
    const has = async () => (await getDomain(fixture, NAME)).ownership.record !== null;
    await waitUntil(has, { timeoutMs: 30_000, message: 'the TXT record to be offered' });
    return (await getDomain(fixture, NAME)).ownership.record?.value ?? '';
  };
  const untilIssue = (fixture: DomainFixture, code: string, isThere = true) =>
    waitUntil(async () => (await getDomain(fixture, NAME)).issues.some((issue) => issue.code === code) === isThere, {
      timeoutMs: 30_000,
      message: `${code}: ${isThere}`,
    });

  it('goes live with the TXT record, for the organization that has created it', async () => {
    await addDomain(victim, NAME);
    await addDomain(attacker, NAME);
    await brokenSetups.flattened(records, await getDomain(victim, NAME));
    await Promise.all([verify(victim), verify(attacker)]);
    await tokenOf(attacker);
    await records.put({ name: PROOF, type: 'TXT', data: await tokenOf(victim) });
    await Promise.all([verify(victim), verify(attacker)]);
    await waitUntil(async () => (await getDomain(victim, NAME)).state === 'live', {
      timeoutMs: 60_000,
      message: 'live',
    });
    expect((await victim.visitor.visit(NAME)).status).toBe(200);
    await untilIssue(attacker, 'claimed_elsewhere');
    expect((await getDomain(victim, NAME)).issues.map(({ code }) => code)).toEqual(['flattened']);
  });

  it('stays live without the record', async () => {
    await records.remove(PROOF);
    await records.put({ name: PROOF, type: 'TXT', data: 'v=spf1 -all' });
    await verify(victim);
    const isChecked = async () =>
      (await getDomain(victim, NAME)).dns.observed.some(({ value }) => value === 'v=spf1 -all');
    await waitUntil(isChecked, { timeoutMs: 30_000, message: 'the check' });
    expect(await getDomain(victim, NAME)).toMatchObject({ state: 'live', misconfigured: false });
  });

  it('shows that its DNSSEC is broken, and that it is repaired', async () => {
    const domain = await getDomain(victim, NAME);
    await brokenSetups['dnssec-broken'](records, domain);
    await verify(victim);
    await untilIssue(victim, 'dnssec_broken');
    expect((await getDomain(victim, NAME)).issues[0]?.message).toContain('no DNSKEY matches the DS record');
    await records.fixDnssec(domain.apexName);
    await verify(victim);
    await untilIssue(victim, 'dnssec_broken', false);
    expect((await getDomain(victim, NAME)).state).toBe('live');
  });
});

it('a TXT record beside the delegation is named, and no certificate is ordered before the switch', async () => {
  const name = 'docs.shadowed.com';
  await addDomain(victim, name);
  const domain = await getDomain(victim, name);
  await brokenSetups.shadowed(records, domain);
  await victim.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(victim, name));
  const issues = async () => (await getDomain(victim, name)).issues;
  await waitUntil(async () => (await issues()).some(({ code }) => code === 'delegation_shadowed'), {
    timeoutMs: 30_000,
    message: 'the diagnosis',
  });
  expect(await getDomain(victim, name)).toMatchObject({ certificate: null, readiness: { state: 'waiting' } });
});

describeBrokenSetups(() => ({ domains: victim, dataDir }));

describe('an apex at an address that the operator has listed', () => {
  const LISTED = 'listed.com';
  const routingOf = async () => (await getDomain(victim, LISTED)).records.find(({ purpose }) => purpose === 'routing');

  it('goes live with the A record that it is offered, and the TXT record', async () => {
    await query('insert into public_addresses (address) values ($1)', [DEV_EDGE_ADDRESS]);
    await addDomain(victim, LISTED);
    await waitUntil(async () => (await routingOf())?.alternatives !== undefined, {
      timeoutMs: 30_000,
      message: 'the records to be offered',
    });
    for (const { type, name, value } of (await routingOf())?.alternatives ?? []) {
      expect([type, name]).toEqual(['A', '@']);
      await records.put({ name: LISTED, type, data: value });
    }
    const { ownership } = await getDomain(victim, LISTED);
    await records.put({ name: `_platform-challenge.${LISTED}`, type: 'TXT', data: ownership.record?.value ?? '' });
    await victim.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(victim, LISTED));
    await waitUntil(async () => (await getDomain(victim, LISTED)).state === 'live', {
      timeoutMs: 60_000,
      message: `${LISTED} to go live`,
    });
    expect((await getDomain(victim, LISTED)).issues).toEqual([]);
  });
});
