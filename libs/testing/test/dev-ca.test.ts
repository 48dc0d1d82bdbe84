import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import acme from 'acme-client';
import { createPrivateKey, generateKeyPairSync, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issuePlatformCertificate } from '../src/dev-ca/authority.js';
import { startDevCa, type DevCa } from '../src/dev-ca/dev-ca.js';
import { startDevDns, type DevDns } from '../src/dev-dns/dev-dns.js';

let folder: string;
let dns: DevDns;
let ca: DevCa;
let responder: Server;
let answers: Map<string, string>;

const startCa = async () =>
  startDevCa({
    dataDir: join(folder, 'ca'),
    dnsServers: [dns.address],
    httpPort: (responder.address() as AddressInfo).port,
  });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-ca-'));
  responder = createServer((request, response) => {
    const answer = answers.get(`${request.headers.host}${request.url}`);
    response.writeHead(answer === undefined ? 404 : 200).end(answer);
  }).listen(0, '127.0.0.1');
  await once(responder, 'listening');
  dns = await startDevDns();
});
afterAll(async () => {
  await dns.close();
  responder.close();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  answers = new Map();
  dns.put({ name: 'www.example.com', type: 'CNAME', data: 'target.example.net.' });
  dns.put({ name: 'target.example.net', type: 'A', data: '127.0.0.1' });
  ca = await startCa();
});
afterEach(async () => {
  await ca.close();
  dns.remove('www.example.com');
});

async function client(key?: Buffer) {
  const accountKey = key ?? (await acme.crypto.createPrivateEcdsaKey());
  return new acme.Client({
    directoryUrl: ca.directoryUrl,
    accountKey,
    backoffMin: 20,
    backoffMax: 20,
    backoffAttempts: 50,
  });
}

/** The whole of ACME by a client that is not ours. */
async function obtain(who: acme.Client, names: string[], answerOf = (keyAuthorization: string) => keyAuthorization) {
  const [key, csr] = await acme.crypto.createCsr({ altNames: names }, await acme.crypto.createPrivateEcdsaKey());
  const chain = await who.auto({
    csr,
    termsOfServiceAgreed: true,
    challengePriority: ['http-01'],
    skipChallengeVerification: true,
    challengeCreateFn: async ({ identifier }, { token }, keyAuthorization) => {
      answers.set(`${identifier.value}/.well-known/acme-challenge/${token}`, answerOf(keyAuthorization));
    },
    challengeRemoveFn: async () => undefined,
  });
  return { key, chain };
}

const certificatesOf = (chain: string) => acme.crypto.splitPemChain(chain).map((pem) => new X509Certificate(pem));

describe('issuance', () => {
  it('gives a chain that leads to the root, for the asked names and key, for 90 days', async () => {
    dns.put({ name: 'example.com', type: 'A', data: '127.0.0.1' });
    const { key, chain } = await obtain(await client(), ['www.example.com', 'example.com']);
    const [leaf, intermediate, ...more] = certificatesOf(chain);
    const root = new X509Certificate(await readFile(ca.authority.rootCertificatePath));
    if (!leaf || !intermediate) throw new Error('the chain is too short');
    expect(more).toEqual([]);
    expect(leaf.verify(intermediate.publicKey) && leaf.checkIssued(intermediate)).toBe(true);
    expect(intermediate.verify(root.publicKey) && intermediate.checkIssued(root)).toBe(true);
    expect([leaf.ca, intermediate.ca, root.ca]).toEqual([false, true, true]);
    expect(leaf.subjectAltName?.split(', ').sort()).toEqual(['DNS:example.com', 'DNS:www.example.com']);
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(intermediate.subject).toContain('CN=Pets Development Intermediate');
    expect(leaf.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(Math.round((leaf.validToDate.getTime() - Date.now()) / 86_400_000)).toBe(90);
  });

  it('accepts RSA account keys and RSA certificate requests', async () => {
    const who = await client(await acme.crypto.createPrivateRsaKey(2048));
    const [, csr] = await acme.crypto.createCsr(
      { commonName: 'www.example.com' },
      await acme.crypto.createPrivateRsaKey(2048),
    );
    const chain = await who.auto({
      csr,
      termsOfServiceAgreed: true,
      skipChallengeVerification: true,
      challengeCreateFn: async (_authz, { token }, answer) => {
        answers.set(`www.example.com/.well-known/acme-challenge/${token}`, answer);
      },
      challengeRemoveFn: async () => undefined,
    });
    expect(certificatesOf(chain)[0]?.publicKey.asymmetricKeyType).toBe('rsa');
  });

  it('refuses a certificate when the challenge gets a wrong answer, and says what was seen', async () => {
    await expect(obtain(await client(), ['www.example.com'], () => 'wrong')).rejects.toThrow(
      /the key authorization file from http:\/\/www\.example\.com\S+ holds "wrong"/,
    );
  });

  it.each([
    ['gives a certificate for a TXT record with the hash of the key authorization', (text: string) => text, undefined],
    ['refuses another TXT record', () => 'wrong', /incorrect TXT record "wrong" found at _acme-challenge/],
  ])('by DNS-01 %s, where CNAMEs lead to it', async (_title, valueOf, error) => {
    dns.put({ name: '_acme-challenge.www.example.com', type: 'CNAME', data: 'answers.example.net.' });
    const [, csr] = await acme.crypto.createCsr({ altNames: ['www.example.com'] });
    const issued = (await client()).auto({
      csr,
      termsOfServiceAgreed: true,
      challengePriority: ['dns-01'],
      skipChallengeVerification: true,
      challengeCreateFn: async (_authorization, _challenge, text) =>
        dns.put({ name: 'answers.example.net', type: 'TXT', data: `"${valueOf(text)}"` }),
      challengeRemoveFn: async () => dns.remove('answers.example.net'),
    });
    if (error === undefined) expect(certificatesOf(await issued)).toHaveLength(2);
    else await expect(issued).rejects.toThrow(error);
  });

  it('gives a certificate for a wildcard by DNS-01 at its base, and offers nothing else', async () => {
    const who = await client();
    await who.createAccount({ termsOfServiceAgreed: true });
    const order = await who.createOrder({ identifiers: [{ type: 'dns', value: '*.example.com' }] });
    expect(await who.getAuthorizations(order)).toMatchObject([
      { identifier: { value: 'example.com' }, wildcard: true, challenges: [{ type: 'dns-01' }] },
    ]);
    const [, csr] = await acme.crypto.createCsr({ altNames: ['*.example.com'] });
    const issued = await (
      await client()
    ).auto({
      csr,
      termsOfServiceAgreed: true,
      challengePriority: ['dns-01'],
      skipChallengeVerification: true,
      challengeCreateFn: async (_authorization, _challenge, text) =>
        dns.put({ name: '_acme-challenge.example.com', type: 'TXT', data: `"${text}"` }),
      challengeRemoveFn: async () => dns.remove('_acme-challenge.example.com'),
    });
    expect(certificatesOf(issued)[0]?.subjectAltName).toBe('DNS:*.example.com');
  });

  it('refuses a name that does not resolve', async () => {
    await expect(obtain(await client(), ['absent.example.com'])).rejects.toThrow(
      'looking up A for absent.example.com: ENOTFOUND',
    );
  });

  it.each([['*.*.example.com'], ['no_host'], ['a..example.com']])('does not take an order for %s', async (value) => {
    const who = await client();
    await who.createAccount({ termsOfServiceAgreed: true });
    await expect(who.createOrder({ identifiers: [{ type: 'dns', value }] })).rejects.toThrow();
  });

  it('refuses a request for other names than the order’s', async () => {
    const who = await client();
    await who.createAccount({ termsOfServiceAgreed: true });
    const order = await who.createOrder({ identifiers: [{ type: 'dns', value: 'www.example.com' }] });
    const [authorization] = await who.getAuthorizations(order);
    const challenge = authorization?.challenges[0];
    if (!challenge) throw new Error('no challenge');
    const answer = await who.getChallengeKeyAuthorization(challenge);
    const [, csr] = await acme.crypto.createCsr({ altNames: ['other.example.com'] });
    await expect(who.finalizeOrder(order, csr)).rejects.toThrow('the order is pending, not ready');
    answers.set(`www.example.com/.well-known/acme-challenge/${challenge.token}`, answer);
    await who.completeChallenge(challenge);
    await who.waitForValidStatus(challenge);
    await expect(who.finalizeOrder(order, csr)).rejects.toThrow(
      'the CSR names other.example.com, the order www.example.com',
    );
  });
});

describe('accounts', () => {
  it('are found again by their key, and forgotten by a restart', async () => {
    const who = await client();
    await who.createAccount({ termsOfServiceAgreed: true });
    const url = who.getAccountUrl();
    await who.createAccount({ termsOfServiceAgreed: true, onlyReturnExisting: true });
    expect(who.getAccountUrl()).toBe(url);
    const stranger = await client();
    await expect(stranger.createAccount({ onlyReturnExisting: true })).rejects.toThrow(
      'no account exists for this key',
    );
  });

  it('that are unknown get accountDoesNotExist', async () => {
    const answer = await post('/new-order', { kid: `${base()}/accounts/gone` }, { identifiers: [] });
    expect(answer).toMatchObject({ status: 400, body: { type: 'urn:ietf:params:acme:error:accountDoesNotExist' } });
  });

  it('do not see each other’s orders', async () => {
    const [one, other] = [await client(), await client()];
    await one.createAccount({ termsOfServiceAgreed: true });
    await other.createAccount({ termsOfServiceAgreed: true });
    const order = await one.createOrder({ identifiers: [{ type: 'dns', value: 'www.example.com' }] });
    await expect(other.getOrder(order)).rejects.toThrow('there is no such order');
  });
});

describe('requests', () => {
  it('with a nonce that was used get badNonce and a fresh one', async () => {
    const nonce = await freshNonce();
    const first = await post('/new-account', { jwk: publicJwk, nonce }, {});
    const again = await post('/new-account', { jwk: publicJwk, nonce }, {});
    expect(first.status).toBe(201);
    expect(again).toMatchObject({ status: 400, body: { type: 'urn:ietf:params:acme:error:badNonce' } });
    expect(again.contentType).toBe('application/problem+json');
    expect(again.nonce).toMatch(/^[\w-]{22}$/);
  });

  it('with a bad signature, another URL, or a foreign algorithm are refused', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    expect(await post('/new-account', { jwk: publicJwk }, {}, other)).toMatchObject({
      status: 400,
      body: { type: 'urn:ietf:params:acme:error:malformed', detail: 'the JWS signature does not verify' },
    });
    expect(await post('/new-account', { jwk: publicJwk, url: `${base()}/new-order` }, {})).toMatchObject({
      status: 403,
    });
    expect(await post('/new-account', { jwk: publicJwk, alg: 'none' }, {})).toMatchObject({
      body: { type: 'urn:ietf:params:acme:error:badSignatureAlgorithm', algorithms: ['ES256', 'RS256'] },
    });
  });

  it('find the CA’s name for CAA records in the directory', async () => {
    const response = await fetch(ca.directoryUrl);
    expect(await response.json()).toMatchObject({ meta: { caaIdentities: ['dev-ca.test'] } });
    expect(response.headers.get('replay-nonce')).toMatch(/^[\w-]{22}$/);
  });
});

describe('the authority', () => {
  it('keeps its root across restarts, with the keys readable by the owner alone', async () => {
    const before = ca.authority.rootCertificatePem;
    await ca.close();
    ca = await startCa();
    expect(ca.authority.rootCertificatePem).toBe(before);
    expect((await stat(join(folder, 'ca', 'root.key'))).mode & 0o777).toBe(0o600);
  });

  it('issues the platform’s wildcard certificate without ACME', async () => {
    const { certificatePem } = await issuePlatformCertificate(ca.authority, ['*.pets.localhost', 'pets.localhost']);
    const [leaf] = certificatesOf(certificatePem);
    expect(leaf?.checkHost('docs.pets.localhost')).toBe('*.pets.localhost');
    expect(leaf?.checkHost('pets.localhost')).toBe('pets.localhost');
  });
});

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const publicJwk = publicKey.export({ format: 'jwk' });
const base = () => ca.directoryUrl.replace('/directory', '');
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

async function freshNonce(): Promise<string> {
  return (await fetch(`${base()}/new-nonce`, { method: 'HEAD' })).headers.get('replay-nonce') ?? '';
}

/** A signed request made by hand, to break one thing at a time. */
async function post(path: string, header: Record<string, unknown>, payload: unknown, key: KeyObject = privateKey) {
  const nonce = header.nonce ?? (await freshNonce());
  const protectedHeader = encode({ alg: 'ES256', url: `${base()}${path}`, ...header, nonce });
  const signed = `${protectedHeader}.${encode(payload)}`;
  const signature = sign('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');
  const response = await fetch(`${base()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/jose+json' },
    body: JSON.stringify({ protected: protectedHeader, payload: encode(payload), signature }),
  });
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    nonce: response.headers.get('replay-nonce'),
    body: await response.json(),
  };
}
