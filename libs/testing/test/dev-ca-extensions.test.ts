import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startDevCa, type DevCa, type DevCaOptions } from '../src/dev-ca/dev-ca.js';
import { certificateIdentifier } from '../src/dev-ca/x509.js';
import { startDevDns, type DevDns } from '../src/dev-dns/dev-dns.js';
import { RawAcme } from './raw-acme.js';

const NAME = 'www.shop.example.com';
const PROBLEM = 'urn:ietf:params:acme:error:';

let folder: string;
let dns: DevDns;
let responder: Server;
let running: DevCa[] = [];
const answers = new Map<string, string>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-ca-'));
  responder = createServer((request, response) => {
    const answer = answers.get(`${request.headers.host}${request.url}`);
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  }).listen(0, '127.0.0.1');
  await once(responder, 'listening');
});
afterAll(async () => {
  responder.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  dns = await startDevDns();
  dns.put({ name: NAME, type: 'A', data: '127.0.0.1' });
});
afterEach(async () => {
  await Promise.all(running.map((ca) => ca.close()));
  running = [];
  await dns.close();
});

async function start(options: Partial<DevCaOptions> = {}): Promise<DevCa> {
  const httpPort = (responder.address() as AddressInfo).port; // listening on TCP: never a pipe's path
  const ca = await startDevCa({ dataDir: join(folder, 'ca'), dnsServers: [dns.address], httpPort, ...options });
  running.push(ca);
  return ca;
}

function clientOf(ca: DevCa): RawAcme {
  return new RawAcme(ca.directoryUrl, (name, token, answer) =>
    answers.set(`${name}/.well-known/acme-challenge/${token}`, answer),
  );
}

async function register(ca: DevCa): Promise<RawAcme> {
  const client = clientOf(ca);
  expect((await client.register()).status).toBe(201);
  return client;
}

const problem = (type: string, status: number) => ({ status, body: { type: PROBLEM + type } });

async function fetchRenewalInfo(client: RawAcme, identifier: string) {
  const response = await fetch(`${client.url('renewalInfo')}/${identifier}`);
  return { status: response.status, headers: response.headers, body: (await response.json()) as RenewalInfo };
}
type RenewalInfo = { suggestedWindow: { start: string; end: string }; explanationURL?: string };

describe('renewal information', () => {
  it('suggests a tenth of the life after two thirds of it, and says when to ask again', async () => {
    const client = await register(await start());
    const { chainPem } = await client.obtain(NAME);
    const { validFromDate, validToDate } = new X509Certificate(chainPem);
    const lifeMs = validToDate.getTime() - validFromDate.getTime();
    const { status, headers, body } = await fetchRenewalInfo(client, certificateIdentifier(chainPem));
    expect([status, headers.get('retry-after'), body.explanationURL]).toEqual([200, '21600', undefined]);
    const [start_, end] = [body.suggestedWindow.start, body.suggestedWindow.end].map((text) => Date.parse(text));
    expect(start_).toBeCloseTo(validFromDate.getTime() + (lifeMs * 2) / 3, -1);
    expect((end ?? 0) - (start_ ?? 0)).toBeCloseTo(lifeMs / 10, -1);
  });

  it('is not there for an unknown certificate, nor for what names none', async () => {
    const client = await register(await start());
    expect(await fetchRenewalInfo(client, 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE')).toMatchObject(
      problem('malformed', 404),
    );
    expect(await fetchRenewalInfo(client, 'nothing')).toMatchObject(problem('malformed', 400));
  });

  it('moves into the past for a mass revocation, with the reason, for the names that are meant', async () => {
    const ca = await start();
    const client = await register(ca);
    dns.put({ name: 'other.example.com', type: 'A', data: '127.0.0.1' });
    const [meant, other] = [await client.obtain(NAME), await client.obtain('other.example.com')];
    const explanationUrl = 'https://ca.example/incident';
    ca.renewNow([NAME], explanationUrl);
    const moved = (await fetchRenewalInfo(client, certificateIdentifier(meant.chainPem))).body;
    expect(Date.parse(moved.suggestedWindow.end)).toBeLessThan(Date.now());
    expect(moved.explanationURL).toBe(explanationUrl);
    const stays = (await fetchRenewalInfo(client, certificateIdentifier(other.chainPem))).body;
    expect(Date.parse(stays.suggestedWindow.start)).toBeGreaterThan(Date.now());
  });
});

describe('an order that replaces a certificate', () => {
  it('says so, and is the only one that may', async () => {
    const client = await register(await start());
    const replaces = certificateIdentifier((await client.obtain(NAME)).chainPem);
    const order = await client.newOrder([NAME], { replaces });
    expect(order).toMatchObject({ status: 201, body: { replaces } });
    expect(await client.newOrder([NAME], { replaces })).toMatchObject(problem('alreadyReplaced', 409));
  });

  it('may be followed by another when it came to nothing', async () => {
    const client = await register(await start());
    const replaces = certificateIdentifier((await client.obtain(NAME)).chainPem);
    dns.remove(NAME);
    const { authorization } = await client.prove(await client.newOrder([NAME], { replaces }), NAME);
    expect(authorization.body['status']).toBe('invalid');
    expect((await client.newOrder([NAME], { replaces })).status).toBe(201);
  });

  it('is refused for a certificate of another account, of other names, and for one that there is not', async () => {
    const ca = await start();
    const [client, stranger] = [await register(ca), await register(ca)];
    const replaces = certificateIdentifier((await client.obtain(NAME)).chainPem);
    expect(await stranger.newOrder([NAME], { replaces })).toMatchObject(problem('malformed', 400));
    expect(await client.newOrder(['other.example.com'], { replaces })).toMatchObject(problem('malformed', 400));
    expect(await client.newOrder([NAME], { replaces: 'AAAA.AAAA' })).toMatchObject(problem('malformed', 400));
    expect(await client.newOrder([NAME], { replaces: 'nothing' })).toMatchObject(problem('malformed', 400));
  });
});

describe('profiles', () => {
  it.each([
    ['classic', 90 * 24, true],
    ['tlsserver', 45 * 24, false],
    ['shortlived', 160, false],
  ])('%s is for %d hours, and the order says which it is', async (profile, hours, hasCommonName) => {
    const ca = await start();
    const meta = ((await (await fetch(ca.directoryUrl)).json()) as { meta: { profiles: object } }).meta;
    expect(meta.profiles).toHaveProperty(profile, expect.any(String));
    const { order, chainPem } = await (await register(ca)).obtain(NAME, { profile });
    expect(order.body['profile']).toBe(profile);
    const leaf = new X509Certificate(chainPem);
    expect(Math.round((leaf.validToDate.getTime() - Date.now()) / 3_600_000)).toBe(hours);
    expect([leaf.subject, leaf.checkHost(NAME)]).toEqual([hasCommonName ? `CN=${NAME}` : undefined, NAME]);
  });

  it('that are not offered are refused', async () => {
    const client = await register(await start());
    expect(await client.newOrder([NAME], { profile: 'eternal' })).toMatchObject(problem('invalidProfile', 400));
  });
});

describe('a CA that issues later', () => {
  it('answers finalize with an order in processing, and has the certificate later', async () => {
    const client = await register(await start({ delays: { finalize: 0.05 } }));
    const order = await client.newOrder([NAME]);
    await client.prove(order, NAME);
    const finalized = await client.finalize(order, NAME);
    expect(finalized).toMatchObject({ status: 200, body: { status: 'processing' } });
    expect(finalized.body).not.toHaveProperty('certificate');
    const valid = await client.until(order.headers.get('location') ?? '', (status) => status !== 'processing');
    expect(valid.body['status']).toBe('valid');
    expect(finalized.headers.get('retry-after')).toBeNull();
  });

  it('is made slow while it runs, and says when to ask again', async () => {
    const ca = await start();
    const client = await register(ca);
    const control = (body: string) =>
      fetch(ca.directoryUrl.replace('directory', 'control/delays'), { method: 'PUT', body });
    expect((await control('{"finalize": 60, "retryAfter": 7}')).status).toBe(200);
    const order = await client.newOrder([NAME]);
    await client.prove(order, NAME);
    const finalized = await client.finalize(order, NAME);
    expect(finalized.body['status']).toBe('processing');
    expect(finalized.headers.get('retry-after')).toBe('7');
    expect(ca.orders(NAME)).toEqual([{ isFinalized: true }]);
    for (const body of ['{"finalize": -1}', '{"other": 1}', 'x']) expect((await control(body)).status).toBe(400);
  });
});

describe('CAA records', () => {
  it.each([
    ['that name the CA', [[NAME, '0 issue "dev-ca.test"']], 'valid'],
    [
      'that name it among others',
      [
        [NAME, '0 issue "other.test"'],
        [NAME, '0 issue "dev-ca.test"'],
      ],
      'valid',
    ],
    ['that name another', [[NAME, '0 issue "other.test"']], 'invalid'],
    ['that name nobody', [[NAME, '0 issue ";"']], 'invalid'],
    ['that stand higher up', [['example.com', '0 issue "other.test"']], 'invalid'],
    [
      'of which the nearest counts',
      [
        ['example.com', '0 issue ";"'],
        [NAME, '0 issue "dev-ca.test"'],
      ],
      'valid',
    ],
    ['that only name a contact', [[NAME, '0 iodef "mailto:security@example.com"']], 'valid'],
    ['that only speak of wildcards', [[NAME, '0 issuewild ";"']], 'valid'],
    ['with an unknown critical tag', [[NAME, '128 tbs "unknown"']], 'invalid'],
    ['that allow this way of proof', [[NAME, '0 issue "dev-ca.test; validationmethods=dns-01,http-01"']], 'valid'],
    ['that allow another way alone', [[NAME, '0 issue "dev-ca.test; validationmethods=dns-01"']], 'invalid'],
    ['that name it in the presence of a critical tag that it knows', [[NAME, '128 iodef "mailto:a@b.c"']], 'valid'],
    ['that name it critically', [[NAME, '128 issue "dev-ca.test"']], 'valid'],
    ['with a critical tag for mail, which it knows', [[NAME, '128 issuemail ";"']], 'valid'],
    ['with an unknown tag and flags that are not critical', [[NAME, '126 tbs "unknown"']], 'valid'],
    ['with an unknown tag and the bit that is taken for critical', [[NAME, '1 tbs "unknown"']], 'invalid'],
    ['with tabs between the parts', [[NAME, '0 issue "\\009dev-ca.test\\009;\\009a\\009=\\009b\\009"']], 'valid'],
    ['with a tag of parameter that has a hyphen', [[NAME, '0 issue "dev-ca.test; a-b=c"']], 'invalid'],
    ['with a semicolon after the last parameter', [[NAME, '0 issue "dev-ca.test; a=b;"']], 'invalid'],
    ['that name another account', [[NAME, '0 issue "dev-ca.test; accounturi=https://ca.test/acct/1"']], 'invalid'],
  ] as const)('%s are obeyed', async (_name, records, status) => {
    const client = await register(await start());
    for (const [name, data] of records) dns.put({ name, type: 'CAA', data });
    const { authorization } = await client.prove(await client.newOrder([NAME]), NAME);
    expect(authorization.body['status']).toBe(status);
    if (status === 'invalid') expect(authorization.text).toContain(`${PROBLEM}caa`);
  });

  it('that cannot be looked up stand in the way', async () => {
    const client = await register(await start());
    dns.fail({ name: 'example.com', rcode: 'SERVFAIL', type: 'CAA' });
    const { authorization } = await client.prove(await client.newOrder([NAME]), NAME);
    expect(authorization.text).toContain('looking up CAA for example.com: ESERVFAIL');
  });
});

describe('revocation', () => {
  const derOf = (chainPem: string) => new X509Certificate(chainPem).raw.toString('base64url');

  it('is asked for by the account that ordered the certificate, once, and is listed', async () => {
    const ca = await start();
    const client = await register(ca);
    const certificate = derOf((await client.obtain(NAME)).chainPem);
    const revoke = (payload: object) => client.post(client.url('revokeCert'), payload);
    expect(await revoke({ certificate, reason: 3 })).toMatchObject(problem('badRevocationReason', 400));
    expect((await revoke({ certificate, reason: 5 })).status).toBe(200);
    expect(await revoke({ certificate, reason: 5 })).toMatchObject(problem('alreadyRevoked', 400));
    expect(ca.revocations()).toEqual([{ names: [NAME], reason: 5, at: expect.any(String) }]);
  });

  it('is refused to another account, and of what this CA has not issued', async () => {
    const ca = await start();
    const certificate = derOf((await (await register(ca)).obtain(NAME)).chainPem);
    const other = await register(ca);
    const revoke = (payload: object) => other.post(other.url('revokeCert'), payload);
    expect(await revoke({ certificate })).toMatchObject(problem('unauthorized', 403));
    expect(await revoke({ certificate: derOf(ca.authority.rootCertificatePem) })).toMatchObject(
      problem('malformed', 400),
    );
    expect(await revoke({ certificate: 'MIIB' })).toMatchObject(problem('malformed', 400));
  });
});
