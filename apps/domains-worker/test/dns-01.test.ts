import { randomBytes, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChallengeMethod, DomainEvents, DomainJobs } from '@pets/contracts';
import { DnsServers } from '@pets/dns';
import { classifyFailure } from '@pets/domains';
import { describeWhen, isInstalled, waitUntil, type Pebble } from '@pets/testing';
import { jobFor, makeWorker, newName, startIssuingFixture, startTrustedPebble } from './issuing-fixture.js';
import type { IssuingFixture, IssuingWorker } from './issuing-fixture.js';

const zone = 'acme.pets.example';
const key = { name: 'pets-acme', secret: randomBytes(32) };

describeWhen(describe, 'DNS-01', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let fixture: IssuingFixture;
  let pebble: Pebble;
  let servers: DnsServers;

  beforeAll(async () => {
    fixture = await startIssuingFixture({ challengeZone: { name: zone, key } });
    pebble = await startTrustedPebble(fixture, { nonceRejectPercent: 5, validationSeconds: 1 });
    servers = new DnsServers({ resolvers: [fixture.dns.address], allowPrivateAuthoritative: false });
  });
  afterAll(async () => {
    servers.close();
    await pebble.stop();
    await fixture.stop();
  });

  const worker = (tsigKey = key): IssuingWorker =>
    makeWorker(fixture, {
      DNS_RESOLVERS_HOLD_ZONES: true,
      DNS_AUTHORITATIVE_ADDRESSES: new Map(),
      ACME_DNS_SERVER: fixture.dns.address,
      ACME_DNS_ZONE: zone,
      ACME_DNS_TSIG_KEY: tsigKey,
    });

  /** The job for a name that points elsewhere, with its delegation. */
  async function delegatedJob(methods: ChallengeMethod[] = ['dns-01'], name = newName()) {
    const job = await jobFor(name, pebble.directoryUrl);
    const delegation = { host: `_acme-challenge.${name}`, target: `${randomBytes(16).toString('hex')}.${zone}` };
    fixture.dns.put({ type: 'CNAME', name, data: 'old-host.example.' });
    fixture.dns.put({ type: 'CNAME', name: delegation.host, data: `${delegation.target}.` });
    return { ...job, methods, expected: { ...job.expected, delegation } };
  }

  async function issue(job: DomainJobs['issue-certificate'], { issuance, events } = worker()) {
    await issuance.issue(job, AbortSignal.timeout(25_000));
    return events;
  }

  async function answersAt(job: DomainJobs['issue-certificate']): Promise<readonly string[]> {
    const check = servers.open(AbortSignal.timeout(5_000));
    const answer = (await check.resolvers[0]?.query(job.expected.delegation?.target ?? '', 'TXT'))?.answer;
    return answer?.kind === 'found' ? answer.records.map(({ value }) => value) : [];
  }

  it('gets a certificate for a name that points elsewhere, and leaves no answer behind', async () => {
    const job = await delegatedJob();
    expect(await issue(job)).toMatchObject([{ name: 'certificate.issued', payload: { method: 'dns-01' } }]);
    expect(await answersAt(job)).toEqual([]);
  });

  it('is used where HTTP-01 is preferred and cannot succeed', async () => {
    const job = await delegatedJob(['http-01', 'dns-01']);
    expect(await issue(job)).toMatchObject([{ name: 'certificate.issued', payload: { method: 'dns-01' } }]);
  });

  it('shows several answers at one name at once', async () => {
    const [one, other] = [await delegatedJob(), await delegatedJob()];
    const { target } = one.expected.delegation;
    const host = other.expected.delegation.host;
    fixture.dns.put({ type: 'CNAME', name: host, data: `${target}.` });
    const shared = { ...other, expected: { ...other.expected, delegation: { host, target } } };
    const events = await Promise.all([issue(one), issue(shared)]);
    expect(events.flat().map(({ name }) => name)).toEqual(['certificate.issued', 'certificate.issued']);
    expect(await answersAt(one)).toEqual([]);
  });

  it('orders nothing without the delegation', async () => {
    const job = await delegatedJob();
    fixture.dns.remove(job.expected.delegation.host);
    expect(await issue(job)).toMatchObject([
      { payload: { stage: 'gate', ordered: false, gate: { methods: ['dns-01'], caa: null } } },
    ]);
  });

  it('orders nothing where a TXT record hides the delegation, and reports its value', async () => {
    const job = await delegatedJob();
    const { delegation } = job.expected;
    fixture.dns.put({ type: 'TXT', name: delegation.host, data: 'of-another-ca' });
    const [event] = await issue(job);
    expect(event).toMatchObject({ name: 'certificate.failed', payload: { stage: 'gate', ordered: false } });
    const failure = classifyFailure(event?.payload as DomainEvents['certificate.failed'], job.expected);
    expect(failure).toMatchObject({
      class: 'user',
      issues: [{ code: 'delegation_shadowed', evidence: { seen: ['of-another-ca'] } }],
    });
  });

  it('orders nothing while our name server refuses updates, and reports why', async () => {
    const job = await delegatedJob();
    const challengeError = expect.stringContaining('BADSIG');
    const events = await issue(job, worker({ name: key.name, secret: randomBytes(32) }));
    expect(events).toMatchObject([{ payload: { stage: 'gate', ordered: false, gate: { challengeError } } }]);
  });

  it.each<[string, ChallengeMethod, object]>([
    ['permits', 'dns-01', { name: 'certificate.issued' }],
    ['forbids', 'http-01', { payload: { stage: 'gate', ordered: false, gate: { caa: { kind: 'forbids' } } } }],
  ])('is what CAA %s with validationmethods=%s', async (_verdict, method, event) => {
    const job = await delegatedJob(['dns-01'], `${newName()}.${method}.example`);
    const data = `0 issue "configured-ca.test; validationmethods=${method}"`;
    fixture.dns.put({ type: 'CAA', name: `${method}.example`, data });
    expect(await issue(job)).toMatchObject([event]);
  });

  describe('for a wildcard', () => {
    async function wildcardJob(base: string) {
      const job = await jobFor(`*.${base}`, pebble.directoryUrl);
      const delegation = { host: `_acme-challenge.${base}`, target: `${randomBytes(16).toString('hex')}.${zone}` };
      fixture.dns.put({ type: 'CNAME', name: delegation.host, data: `${delegation.target}.` });
      return { ...job, methods: ['dns-01'] as ChallengeMethod[], expected: { ...job.expected, delegation } };
    }

    it('gets a certificate for exactly the wildcard', async () => {
      const job = await wildcardJob(newName());
      const [event] = await issue(job);
      expect(event).toMatchObject({ name: 'certificate.issued', payload: { method: 'dns-01' } });
      const { chainPem } = event?.payload as { chainPem: string };
      expect(new X509Certificate(chainPem).subjectAltName).toBe(`DNS:${job.expected.name}`);
      expect(await answersAt(job)).toEqual([]);
    });

    it('shares the delegation with its base, also at the same time', async () => {
      const wildcard = await wildcardJob(newName());
      const { name, delegation } = wildcard.expected;
      const base = await jobFor(name.slice(2), pebble.directoryUrl);
      fixture.dns.put({ type: 'CNAME', name: base.expected.name, data: 'old-host.example.' });
      const both = [wildcard, { ...base, methods: wildcard.methods, expected: { ...base.expected, delegation } }];
      const events = await Promise.all(both.map((job) => issue(job)));
      expect(events.flat().map((event) => event.name)).toEqual(['certificate.issued', 'certificate.issued']);
      expect(await answersAt(wildcard)).toEqual([]);
    });

    it.each<[string, string, object]>([
      ['permits', '0 issuewild "configured-ca.test; validationmethods=dns-01"', { name: 'certificate.issued' }],
      ['forbids', '0 issuewild ";"', { payload: { ordered: false, gate: { caa: { kind: 'forbids' } } } }],
    ])('is what issuewild %s, whatever issue says', async (_verdict, issuewild, event) => {
      const base = newName();
      for (const data of ['0 issue "configured-ca.test"', issuewild])
        fixture.dns.put({ type: 'CAA', name: base, data });
      expect(await issue(await wildcardJob(base))).toMatchObject([event]);
    });
  });

  it('removes its answers when the job is aborted', async () => {
    const job = await delegatedJob();
    const { issuance, events } = worker();
    const abort = new AbortController();
    const issuing = issuance.issue(job, abort.signal);
    await waitUntil(async () => (await answersAt(job)).length > 0, { timeoutMs: 15_000, intervalMs: 1 });
    abort.abort(new Error('the lease ends'));
    await issuing;
    expect(await answersAt(job)).toEqual([]);
    expect(events).toMatchObject([{ name: 'certificate.pending', payload: { retryAt: null } }]);
  });

  it('removes what a lost attempt has left', async () => {
    const job = await delegatedJob();
    const { target } = job.expected.delegation;
    fixture.dns.put({ type: 'TXT', name: target, data: '"left-behind"' });
    expect(await answersAt(job)).toEqual(['left-behind']);
    await issue({ ...job, clearedHost: target });
    expect(await answersAt(job)).toEqual([]);
  });
});
