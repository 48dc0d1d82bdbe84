import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, DnsFindings, Domain, ExpectedDns } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { untilIssues } from './domain-steps.js';
import {
  attemptOf,
  emptyFindings,
  matchingFindings,
  orderOf,
  signRequest,
  withDelegation,
  withoutDelegation,
} from '../scripted-worker.js';
import { addLive, certify, freshBase, pointing, recordOf, routeOf } from './wildcard-steps.js';

let fixture: DomainFixture;
beforeAll(async () => {
  fixture = await startDomainFixture(undefined, { ACME_DNS_ZONE: 'acme.pets.localhost' });
});
afterAll(() => fixture.close());

const undelegated = (expected: ExpectedDns) => withoutDelegation(matchingFindings(expected), expected);
const route = (host: string) => routeOf(fixture, host);
const addLiveName = (owner: Tenant, name: string, find = pointing) => addLive(fixture, owner, name, find);

describe('a wildcard', () => {
  it('needs a plan with custom domains', async () => {
    const { key } = await fixture.api.createOrganization('free');
    const projectId = await fixture.createProject(key, true);
    const refused = await fixture.api.request<ApiError>('POST', fixture.path(projectId), {
      key,
      body: { name: '*.free-example.com' },
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'plan_required']);
  });

  it('shows both records that it needs, and is found by its name', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const domain = await owner.add(`*.${base}`);
    const label = base.split('.')[0];
    expect(recordOf(domain, 'routing')).toMatchObject({ type: 'CNAME', name: `*.${label}` });
    expect(recordOf(domain, 'delegation')).toMatchObject({ type: 'CNAME', name: `_acme-challenge.${label}` });
    expect(recordOf(domain, 'delegation')).not.toHaveProperty('optional');
    expect(recordOf(domain, 'ownership')).toBeUndefined();
    expect(domain).toMatchObject({ name: `*.${base}`, apexName: 'wild-example.com', exclusions: [], coveredBy: null });
    expect((await owner.get(encodeURIComponent(`*.${base}`))).id).toBe(domain.id);
  });

  it('goes live by DNS-01, and its probe asks for a name that it covers', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const { id } = await owner.add(`*.${base}`);
    const job = await fixture.worker.nextJob('verify-dns', id);
    expect(job.expected).toMatchObject({ name: `*.${base}`, delegation: { host: `_acme-challenge.${base}` } });
    const findings = pointing(job.expected);
    await fixture.api.messaging.events.emit('dns.checked', { ...attemptOf(job), findings });
    const order = await fixture.worker.nextJob('issue-certificate', id);
    expect(order.methods).toEqual(['dns-01']);
    expect(await route(`*.${base}`)).toMatchObject({ answersChallenges: false, serve: null });
    const chainPem = await signRequest(order.csrPem, `*.${base}`);
    const issued = { ...orderOf(order), chainPem };
    await fixture.api.messaging.events.emit('certificate.issued', issued);
    const probe = await fixture.worker.nextJob('probe-edge', id);
    expect(probe.name).toMatch(new RegExp(`^wildcard-probe-[0-9a-f]{16}\\.${base.replaceAll('.', '\\.')}$`));
    await fixture.api.messaging.events.emit('certificate.served', {
      ...attemptOf(probe),
      leafSha256: probe.leafSha256,
    });
    await owner.untilState(id, 'live');
    expect(await route(`*.${base}`)).toMatchObject({ answersChallenges: false, serve: { kind: 'site' } });
    expect((await owner.get(id)).certificate).toMatchObject({ state: 'issued', method: 'dns-01' });
  });

  it('waits for the delegation although it points here, and says which record is missing', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const { id } = await owner.add(`*.${base}`);
    await fixture.check(id, undelegated);
    await untilIssues(owner, id, ['delegation_missing']);
    const domain = await owner.get(id);
    expect(domain.state).toBe('awaiting_dns');
    expect(domain.issues[0]?.remediation).toContain(`create the CNAME record of _acme-challenge.${base} to exactly`);
    await fixture.api.request('POST', `${fixture.path(owner.projectId)}/${id}/verify`, { key: owner.key });
    await fixture.check(id, pointing);
    await owner.untilState(id, 'verified');
  });

  it('is ready before the switch', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const { id } = await owner.add(`*.${base}`);
    await fixture.check(id, (expected) => withDelegation(emptyFindings(expected), expected));
    await certify(fixture, id, `*.${base}`);
    await waitUntil(async () => (await owner.get(id)).readiness?.state === 'ready', { timeoutMs: 15_000 });
    expect(await route(`*.${base}`)).toMatchObject({ isPrepared: true, answersChallenges: false });
  });

  it('is renewed again after a lost delegation is restored', async () => {
    const owner = await fixture.tenant();
    const { id } = await addLiveName(owner, `*.${freshBase()}`);
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, undelegated);
    await untilIssues(owner, id, ['delegation_missing']);
    await sql`update domain_work set due_at = null where domain_id = ${id} and kind = 'issuance'`.execute(
      fixture.api.db,
    );
    await fixture.makeDue(id, 'dns');
    await fixture.check(id, pointing);
    await untilIssues(owner, id, []);
    expect((await owner.get(id)).certificate?.renewAt).not.toBeNull();
  });
});

describe('the delegation of a wildcard and its base', () => {
  const tokenOf = (domain: Domain) => recordOf(domain, 'delegation')?.value;

  it('is one record while either exists, in any project', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const wildcard = await owner.add(`*.${base}`);
    const otherProject = await fixture.createProject(owner.key, true);
    const added = await fixture.api.request<Domain>('POST', fixture.path(otherProject), {
      key: owner.key,
      body: { name: base },
    });
    expect(tokenOf(added.body)).toBe(tokenOf(wildcard));
    await owner.remove(wildcard.id);
    const again = await owner.add(`*.${base}`);
    expect(tokenOf(again)).toBe(tokenOf(wildcard));
    await owner.remove(again.id);
    await fixture.api.request('DELETE', `${fixture.path(otherProject)}/${added.body.id}`, { key: owner.key });
    expect(tokenOf(await owner.add(`*.${base}`))).not.toBe(tokenOf(wildcard));
  });

  it('is one record if both are added together, or by requests at the same time', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const body = { domains: [{ name: `*.${base}` }, { name: base }] };
    await fixture.api.request('POST', `${fixture.path(owner.projectId)}:batch`, { key: owner.key, body });
    expect(tokenOf(await owner.get(base))).toBe(tokenOf(await owner.get(`*.${base}`)));

    const other = await fixture.createProject(owner.key, true);
    for (let round = 0; round < 5; round += 1) {
      const name = freshBase();
      const [one, two] = await Promise.all([
        fixture.api.request<Domain>('POST', fixture.path(other), { key: owner.key, body: { name } }),
        owner.add(`*.${name}`),
      ]);
      expect(tokenOf(one.body)).toBe(tokenOf(two));
    }
  });

  it('is another one for another organization', async () => {
    const [one, other] = [await fixture.tenant(), await fixture.tenant()];
    const base = freshBase();
    expect(tokenOf(await one.add(`*.${base}`))).not.toBe(tokenOf(await other.add(base)));
  });

  it('is not cleared while the other one may use it', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const wildcard = await addLiveName(owner, `*.${base}`);
    await owner.add(base);
    await owner.remove(wildcard.id);
    await fixture.makeDue(wildcard.id, 'dns');
    expect(await fixture.worker.nextJob('verify-dns', wildcard.id)).toMatchObject({ clearedHost: null });
  });
});

describe('a name below the own wildcard', () => {
  it('is led here by the record of the wildcard, and is served by it until it has a certificate', async () => {
    const owner = await fixture.tenant();
    const base = freshBase();
    const wildcard = await addLiveName(owner, `*.${base}`);
    const projectId = await fixture.createProject(owner.key, true);
    const path = fixture.path(projectId);
    const body = { name: `a.${base}` };
    const { id, ...added } = (await fixture.api.request<Domain>('POST', path, { key: owner.key, body })).body;
    expect(added).toMatchObject({ coveredBy: `*.${base}`, records: [{ purpose: 'routing', optional: true }, {}] });
    const target = recordOf(wildcard, 'routing')?.value ?? '';
    await fixture.check(id, (expected): DnsFindings => {
      expect(expected.wildcardTargetHost).toBe(target);
      return matchingFindings({ ...expected, targetHost: target });
    });
    const job = await fixture.worker.nextJob('issue-certificate', id);
    expect(await route(`a.${base}`)).toMatchObject({ projectId, serve: null, wildcardUntilCertified: true });
    await fixture.sign(job, `a.${base}`);
    await waitUntil(async () => (await route(`a.${base}`))?.serve?.kind === 'site', { timeoutMs: 15_000 });
    expect(await route(`a.${base}`)).not.toHaveProperty('wildcardUntilCertified');
    expect(await route(`*.${base}`)).toMatchObject({ projectId: owner.projectId, serve: { kind: 'site' } });
  });
});

describe('the configuration of a project with a wildcard', () => {
  it('keeps the label in a redirect between wildcards, and refuses what cannot be served', async () => {
    const owner = await fixture.tenant();
    const [from, to] = [freshBase(), freshBase()];
    await addLiveName(owner, `*.${from}`);
    await addLiveName(owner, `*.${to}`);
    const plain = freshBase();
    await addLiveName(owner, plain, matchingFindings);
    const put = (domains: object) =>
      fixture.api.request<ApiError>('PUT', `/v1/projects/${owner.projectId}/domain-config`, {
        key: owner.key,
        body: { domains },
      });
    const redirect = (source: string, target: string) => ({ from: source, to: target, status: 308 });
    expect((await put({ redirects: [redirect(`*.${from}`, `*.${to}`)] })).status).toBe(200);
    expect((await route(`*.${from}`))?.serve).toEqual({ kind: 'redirect', to: `*.${to}`, status: 308 });
    expect((await put({ redirects: [redirect(`*.${from}`, `*.${to}`), redirect(`*.${to}`, plain)] })).status).toBe(200);
    expect((await route(`*.${from}`))?.serve).toEqual({ kind: 'redirect', to: plain, status: 308 });

    const refused = await put({ redirects: [redirect(plain, `*.${to}`)] });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      `domains.redirects.0.to: *.${to} is a wildcard: only a wildcard can redirect to it.`,
    ]);
    expect((await put({ primary: `*.${to}`, redirects: [] })).body.message).toBe(
      'domains.primary: is a wildcard: choose a single name.',
    );
    const cycle = await put({ redirects: [redirect(`*.${from}`, `*.${to}`), redirect(`*.${to}`, `*.${from}`)] });
    expect(cycle.body.code).toBe('redirect_cycle');
  });
});
