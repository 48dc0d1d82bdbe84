import { randomUUID, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DomainJobs } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import {
  describeWhen,
  freePort,
  isInstalled,
  startDevCa,
  startDevDns,
  startPebble,
  type DevDns,
  type Pebble,
} from '@pets/testing';
import { AccountAnnouncer } from '../src/certificate-authority/account-announcer.js';
import { CaAccounts } from '../src/certificate-authority/ca-accounts.js';
import type { Config } from '../src/config.js';
import { IssuanceGate } from '../src/issuance/issuance-gate.js';
import { IssuanceService } from '../src/issuance/issuance.service.js';
import { DnsServers } from '../src/verification/dns-servers.js';
import { makeAccountKey, makeCsr } from './certificates.js';
import { startChallengeResponder, type ChallengeResponder } from './challenge-responder.js';
import { recordFacts } from './recorded-facts.js';

const target = 't1.cname.pets.example';
const blocked = 'blocked.example';
const accountKey = makeAccountKey();
let dns: DevDns;
let responder: ChallengeResponder;
let names = 0;

beforeAll(async () => {
  dns = await startDevDns();
  dns.put({ type: 'A', name: target, data: '127.0.0.1' });
  responder = await startChallengeResponder();
});
beforeEach(() => {
  responder.answer = (token) => `${token}.${worker().accounts.thumbprint}`;
});
afterAll(async () => {
  responder.stop();
  await dns.close();
});

/** A worker's issuing part, whose facts are kept. */
function worker() {
  const config: Config = {
    DNS_RESOLVERS: [dns.address],
    DNS_ALLOW_PRIVATE_AUTHORITATIVE: false,
    ACME_DIRECTORY_URLS: ['http://127.0.0.1:1/unused'],
    ACME_ACCOUNT_KEY: accountKey,
    ACME_CAA_IDENTITIES: ['configured-ca.test'],
    HTTP01_PORT: responder.port,
    HEALTH_PORT: 0,
    WORKER_CONCURRENCY: 1,
    LOG_LEVEL: 'silent',
  };
  const { emitter, facts } = recordFacts();
  const accounts = new CaAccounts(config);
  const announcer = new AccountAnnouncer(config, createLogger('test', 'silent'), accounts, emitter);
  const gate = new IssuanceGate(config, new DnsServers(config), accounts);
  return { issuance: new IssuanceService(accounts, announcer, gate, emitter), accounts, facts };
}

async function jobFor(name: string, directoryUrl: string): Promise<DomainJobs['issue-certificate']> {
  return {
    domainId: randomUUID(),
    generation: 2,
    attempt: 1,
    leaseUntil: new Date(Date.now() + 60_000).toISOString(),
    expected: { name, isApex: false, targetHost: target, ownershipHost: null },
    directoryUrl,
    csrPem: await makeCsr(name),
    profile: null,
    replaces: null,
  };
}

/** A name no other test has used. */
function newName(): string {
  names += 1;
  return `docs-${names}.acme.example`;
}

function pointHere(name: string): string {
  dns.put({ type: 'CNAME', name, data: `${target}.` });
  return name;
}

describeWhen(describe, 'issuing from Pebble', isInstalled('pebble') ? null : 'pebble is not installed', () => {
  let pebble: Pebble;

  beforeAll(async () => {
    const started = await startPebble({
      dnsServer: dns.address,
      httpPort: responder.port,
      nonceRejectPercent: 50,
      blockedDomains: [blocked],
    });
    if (started === null) throw new Error('pebble is gone');
    pebble = started;
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(pebble.caCertificatePath, 'utf8')]);
  }, 30_000);
  afterAll(() => pebble.stop());

  async function issue(name: string) {
    const { issuance, facts } = worker();
    await issuance.issue(await jobFor(name, pebble.directoryUrl), AbortSignal.timeout(20_000));
    return facts;
  }

  it('gets a certificate for a name that points here, though every other nonce is refused', async () => {
    const name = pointHere(newName());
    const facts = await issue(name);
    expect(facts).toMatchObject([
      { name: 'certificate.issued', payload: { generation: 2, attempt: 1, directoryUrl: pebble.directoryUrl } },
    ]);
    const chainPem = facts[0]?.name === 'certificate.issued' ? facts[0].payload.chainPem : '';
    expect(new X509Certificate(chainPem).checkHost(name, { subject: 'never' })).toBe(name);
  }, 30_000);

  it('does not order while DNS points elsewhere', async () => {
    const name = newName();
    dns.put({ type: 'CNAME', name, data: 'elsewhere.example.' });
    expect(await issue(name)).toMatchObject([
      { payload: { stage: 'gate', ordered: false, problem: null, gate: { caa: null, reachability: [] } } },
    ]);
  }, 30_000);

  it('does not order while CAA forbids, and tells the record that would permit', async () => {
    const name = pointHere(`${newName()}.caa.example`);
    dns.put({ type: 'CAA', name: 'caa.example', data: '0 issue "other-ca.example"' });
    const permitting = 'caa.example. CAA 0 issue "configured-ca.test"';
    expect(await issue(name)).toMatchObject([
      { payload: { stage: 'gate', ordered: false, gate: { caa: { kind: 'forbids', at: 'caa.example', permitting } } } },
    ]);
  }, 30_000);

  it('does not order while the challenge is not answered with our key', async () => {
    responder.answer = (token) => `${token}.another-account`;
    const error = expect.stringContaining('did not reach us');
    expect(await issue(pointHere(newName()))).toMatchObject([
      { payload: { stage: 'gate', ordered: false, gate: { reachability: [{ address: '127.0.0.1', error }] } } },
    ]);
  }, 30_000);

  it('tells what the CA said when it refuses the name', async () => {
    const type = 'urn:ietf:params:acme:error:rejectedIdentifier';
    expect(await issue(pointHere(blocked))).toMatchObject([
      { name: 'certificate.failed', payload: { stage: 'order', ordered: true, problem: { type } } },
    ]);
  }, 30_000);

  it('tells what the CA saw when the challenge fails there', async () => {
    // The gate passes; where the CA looks, another account answers.
    const { thumbprint } = worker().accounts;
    let asked = 0;
    responder.answer = (token) => `${token}.${asked++ === 0 ? thumbprint : 'another-account'}`;
    const problem = { type: 'urn:ietf:params:acme:error:unauthorized', status: 403 };
    expect(await issue(pointHere(newName()))).toMatchObject([
      { name: 'certificate.failed', payload: { stage: 'challenge', ordered: true, problem } },
    ]);
  }, 30_000);

  it('asks for the challenge as the name itself', async () => {
    const name = pointHere(newName());
    await issue(name);
    expect(responder.hosts).toContain(name);
  }, 30_000);
});

describe('issuing from a CA in trouble', () => {
  it('registers anew at one that has forgotten the account, and tells the new one', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'dev-ca-'));
    const options = { dataDir, port: await freePort(), dnsServers: [dns.address], httpPort: responder.port };
    const { issuance, accounts, facts } = worker();
    const before = await startDevCa(options);
    await accounts.ensure(before.directoryUrl, AbortSignal.timeout(10_000));
    await before.close();
    const after = await startDevCa(options);
    await issuance.issue(await jobFor(pointHere(newName()), after.directoryUrl), AbortSignal.timeout(20_000));
    expect(facts).toMatchObject([
      { name: 'account.ready', payload: { directoryUrl: after.directoryUrl, thumbprint: accounts.thumbprint } },
      { name: 'certificate.issued' },
    ]);
    await after.close();
    rmSync(dataDir, { recursive: true });
  }, 30_000);

  it('reports one that does not answer, before anything was ordered', async () => {
    const { issuance, facts } = worker();
    const directoryUrl = `http://127.0.0.1:${await freePort()}/dir`;
    await issuance.issue(await jobFor(newName(), directoryUrl), AbortSignal.timeout(20_000));
    const detail = expect.stringContaining('ECONNREFUSED');
    expect(facts).toMatchObject([{ payload: { stage: 'account', ordered: false, problem: { type: null, detail } } }]);
  });

  it('passes on until when it wants to be left alone', async () => {
    const busy = createServer((_request, response) => {
      response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '3600' });
      response.end(JSON.stringify({ type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many requests' }));
    });
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve));
    const { issuance, facts } = worker();
    const directoryUrl = `http://127.0.0.1:${(busy.address() as AddressInfo).port}/dir`;
    const earliest = Date.now() + 3_600_000;
    await issuance.issue(await jobFor(newName(), directoryUrl), AbortSignal.timeout(20_000));
    const problem = facts[0]?.name === 'certificate.failed' ? facts[0].payload.problem : null;
    expect(problem).toMatchObject({ type: 'urn:ietf:params:acme:error:rateLimited', status: 429 });
    expect(Date.parse(problem?.retryAt ?? '')).toBeGreaterThanOrEqual(earliest);
    busy.close();
  });

  it('says that it gave up when its time is over', async () => {
    const silent = createServer(() => job.abort(new Error('gave up after 45000 ms')));
    const job = new AbortController();
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { issuance, facts } = worker();
    const directoryUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/dir`;
    await issuance.issue(await jobFor(newName(), directoryUrl), job.signal);
    const detail = 'gave up after 45000 ms';
    expect(facts).toMatchObject([{ payload: { stage: 'account', ordered: false, gate: null, problem: { detail } } }]);
    silent.closeAllConnections();
    silent.close();
  });
});
