import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, X509Certificate } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createTestCa, testKeys, type TestCa, type TestLeaf, type TestLeafOptions } from '@pets/testing';
import { isRefusal } from './read-pem.js';
import {
  type CertificateUpload,
  checkCertificate,
  createTrustedRoots,
  findKeyFault,
  type TrustedRoots,
} from './check-certificate.js';

const name = 'docs.example.com';
const now = new Date();
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);

let root: TestCa;
let ca: TestCa;
let leaf: TestLeaf;
let roots: TrustedRoots;

beforeAll(async () => {
  root = await createTestCa();
  ca = await root.issueCa('Test Issuing CA');
  leaf = await ca.issue({ names: [name] });
  roots = createTrustedRoots([root.certPem]);
});

const issue = (options: Partial<TestLeafOptions>) => ca.issue({ names: [name], ...options });

function check(upload: Partial<CertificateUpload> = {}, of = name) {
  const { chainPem: certificate, keyPem: privateKey } = leaf;
  return checkCertificate({ certificate, privateKey, trust: 'public', ...upload }, { name: of, now, roots });
}

const checkLeaf = (other: TestLeaf, more: Partial<CertificateUpload> = {}) =>
  check({ certificate: other.chainPem, privateKey: other.keyPem, ...more });

function refusalOf(checked: ReturnType<typeof check>): string {
  return isRefusal(checked) ? `${checked.code} ${checked.field}: ${checked.message}` : 'accepted';
}

describe('an uploaded certificate', () => {
  it('is accepted with its chain, and read', () => {
    expect(check()).toEqual({
      chainPem: leaf.chainPem,
      keyPem: leaf.keyPem,
      leafSha256: leaf.sha256,
      serialNumber: leaf.serialNumber,
      issuer: 'Test Issuing CA',
      names: [name],
      notBefore: expect.any(Date),
      notAfter: new X509Certificate(leaf.certPem).validToDate,
      crlUrls: [],
      crlIssuerPem: new X509Certificate(ca.certPem).toString(),
    });
  });

  it.each([
    ['RSA of 2048 bits', testKeys.rsa(2_048)],
    ['P-384', testKeys.p384],
  ])('may have a key of another type: %s', async (_type, key) => {
    expect(refusalOf(checkLeaf(await issue({ key })))).toBe('accepted');
  });

  it('may cover the name by a wildcard of one label, in any case of letters', async () => {
    expect(refusalOf(checkLeaf(await issue({ names: ['other.example.com', '*.Example.com'] })))).toBe('accepted');
  });

  it('may have the traditional forms of keys', () => {
    const key = createPrivateKey(leaf.keyPem);
    expect(refusalOf(check({ privateKey: String(key.export({ type: 'sec1', format: 'pem' })) }))).toBe('accepted');
  });

  it('is stored without the root, and without texts of tools', () => {
    const certificate = `subject=CN=Test\n${leaf.chainPem}\nissuer=CN=Root\n${root.certPem}`;
    expect(check({ certificate })).toMatchObject({ chainPem: leaf.chainPem });
  });

  it('ends with the first certificate of its chain', async () => {
    const short = await root.issueCa('Short', { notAfter: inDays(10) });
    const checked = checkLeaf(await short.issue({ names: [name] }));
    expect(isRefusal(checked) ? null : Math.round((checked.notAfter.getTime() - now.getTime()) / 86_400_000)).toBe(10);
  });

  it('names its revocation lists over HTTP', async () => {
    const crlUrls = ['http://crl.example/a.crl', 'https://crl.example/b.crl', 'ldap://crl.example/c'];
    expect(checkLeaf(await issue({ crlUrls }))).toMatchObject({ crlUrls: ['http://crl.example/a.crl'] });
  });

  it('may end at a private root, also without it, if the owner says so', async () => {
    const other = await createTestCa('Private Root');
    const own = await other.issue({ names: [name] });
    expect(refusalOf(checkLeaf(own, { trust: 'private' }))).toBe('accepted');
    const withRoot = { certificate: own.certPem + other.certPem, privateKey: own.keyPem, trust: 'private' } as const;
    expect(check(withRoot)).toMatchObject({ chainPem: own.certPem, crlIssuerPem: expect.any(String) });
  });
});

describe('an upload is refused', () => {
  it.each<[string, Partial<CertificateUpload>, RegExp]>([
    ['without a certificate', { certificate: 'x' }, /^invalid_certificate certificate: contains no certificate/],
    ['without a key', { privateKey: 'x' }, /^invalid_private_key privateKey: contains no private key/],
    ['with a damaged certificate', { certificate: pemOf('CERTIFICATE', 'AAAA') }, /certificate 1 cannot be read/],
    ['with a damaged key', { privateKey: pemOf('PRIVATE KEY', 'AAAA') }, /^invalid_private_key .* cannot be read/],
    ['with an encrypted key', { privateKey: pemOf('ENCRYPTED PRIVATE KEY', 'AAAA') }, /the key is encrypted/],
    [
      'with an old encrypted key',
      { privateKey: pemOf('RSA PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nAAAA') },
      /the key is encrypted/,
    ],
    ['with a certificate of 64 KB', { certificate: pemOf('CERTIFICATE', 'A'.repeat(65_536)) }, /at most 65536/],
    ['with too many certificates', { certificate: pemOf('CERTIFICATE', 'AAAA').repeat(9) }, /has 9 certificates/],
  ])('%s', (_title, upload, message) => {
    expect(refusalOf(check(upload))).toMatch(message);
  });

  it('if the chain contains the key, which would be stored with it', () => {
    expect(refusalOf(check({ certificate: leaf.chainPem + leaf.keyPem }))).toMatch(/contains a private key/);
  });

  it('with two keys', () => {
    expect(refusalOf(check({ privateKey: leaf.keyPem + leaf.keyPem }))).toMatch(/has 2 private keys/);
  });

  it('with the key of another certificate, of the same type or another one', async () => {
    for (const key of [testKeys.p256, testKeys.rsa(2_048)]) {
      const { keyPem: privateKey } = await issue({ key });
      expect(refusalOf(check({ privateKey }))).toMatch(/^certificate_key_mismatch privateKey/);
    }
  });

  it('with the key of another certificate is not said to be expired or untrusted: the owner took the wrong file', async () => {
    const { chainPem } = await issue({ notAfter: inDays(-1) });
    const upload = { certificate: chainPem, privateKey: leaf.keyPem, trust: 'public' } as const;
    expect(refusalOf(check(upload))).toMatch(/^certificate_key_mismatch/);
  });

  it.each<[string, Partial<TestLeafOptions>, RegExp]>([
    [
      'for another name',
      { names: ['www.example.com'] },
      /^certificate_name_mismatch .*www\.example\.com, not for docs/,
    ],
    ['for the name as common name only', { names: [], commonName: name }, /has no subject alternative name/],
    ['for a wildcard of two labels', { names: ['*.com'] }, /^certificate_name_mismatch/],
    ['for a wildcard below the name', { names: [`*.${name}`] }, /^certificate_name_mismatch/],
    ['with too many names', { names: Array.from({ length: 251 }, (_, i) => `n${i}.example.com`) }, /has 251 names/],
    ['that has expired', { notAfter: inDays(-0.01) }, /^certificate_expired .*certificate 1 expired at/],
    ['that is not valid yet', { notBefore: inDays(1), notAfter: inDays(9) }, /is not valid before/],
    ['that ends within a day', { notAfter: inDays(0.9) }, /within a day/],
    ['that requires stapling', { mustStaple: true }, /must-staple/],
    ['for clients', { purposes: ['1.3.6.1.5.5.7.3.2'] }, /not for TLS servers/],
    ['of a CA', { isCa: true }, /certificate 1 is the certificate of a CA/],
    ['with a key of Ed25519', { key: testKeys.ed25519 }, /^invalid_private_key .*ed25519/],
    ['with a key on P-521', { key: testKeys.p521 }, /^invalid_private_key .*secp521r1/],
    ['with RSA of 1024 bits', { key: testKeys.rsa(1_024) }, /^invalid_private_key .*1024 bits/],
  ])('%s', async (_title, options, message) => {
    expect(refusalOf(checkLeaf(await issue(options)))).toMatch(message);
  });

  it('signed with SHA-1', async () => {
    const weak = await root.issueCa('Weak', { key: testKeys.rsa(2_048, 'SHA-1') });
    expect(refusalOf(checkLeaf(await weak.issue({ names: [name] })))).toMatch(/signed with SHA-1/);
  });

  it('without the intermediate certificate, whose name it tells', () => {
    expect(refusalOf(check({ certificate: leaf.certPem }))).toMatch(
      /^certificate_untrusted .*lacks the certificate of "Test Issuing CA"/,
    );
  });

  it('with a root that browsers do not trust', async () => {
    const other = await createTestCa('Private Root');
    const own = await other.issue({ names: [name] });
    const refusal = refusalOf(check({ certificate: own.certPem + other.certPem, privateKey: own.keyPem }));
    expect(refusal).toMatch(/^certificate_untrusted .*ends with "Private Root"/);
  });

  it('with a chain in another order, twice the same, or in a loop', async () => {
    expect(refusalOf(check({ certificate: ca.certPem + leaf.certPem }))).toMatch(
      /certificate 1 is the certificate of a CA/,
    );
    expect(refusalOf(check({ certificate: leaf.certPem + root.certPem }))).toMatch(/1 is not signed by certificate 2/);
    expect(refusalOf(check({ certificate: leaf.chainPem + ca.certPem }))).toMatch(/in the chain twice/);
  });

  it('with an issuer that is no CA, or may not have so many below it', async () => {
    const noCa = await root.issueCa('No CA', { isCa: false });
    expect(refusalOf(checkLeaf(await noCa.issue({ names: [name] })))).toMatch(/certificate 2 is not that of a CA/);
    const short = await root.issueCa('Short', { pathLength: 0 });
    const below = await short.issueCa('Below');
    expect(refusalOf(checkLeaf(await below.issue({ names: [name] })))).toMatch(/3 may not have so many/);
  });

  it('with an expired intermediate certificate', async () => {
    const expired = await root.issueCa('Expired', { notAfter: inDays(-0.5) });
    expect(refusalOf(checkLeaf(await expired.issue({ names: [name] })))).toMatch(/certificate 2 expired/);
  });

  it('with a key that spells out its curve', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' });
    const refusal = refusalOf(check({ privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) }));
    expect(refusal).toMatch(/^invalid_private_key .*name the curve/);
    // Of a certificate, whose key is read by the same function.
    const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'pem' });
    expect(findKeyFault(createPublicKey(String(spki)), true)).toMatch(/name the curve/);
  });

  it('with a huge key, before anything is computed with it', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 5_120 });
    const pem = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const refusing = processorTime(() =>
      expect(refusalOf(check({ privateKey: pem }))).toMatch(/^invalid_private_key .*5120 bits/),
    );
    const signing = processorTime(() => {
      for (let count = 0; count < 10; count++) sign('sha256', Buffer.from('text'), privateKey);
    });
    expect(refusing).toBeLessThan(signing);
  });

  it('never with a part of the key in the message', () => {
    const lines = leaf.keyPem.split('\n').filter((line) => !line.startsWith('-') && line !== '');
    for (const certificate of ['x', leaf.certPem, leaf.chainPem + leaf.keyPem]) {
      const refusal = refusalOf(check({ certificate }));
      for (const line of lines) expect(refusal).not.toContain(line);
    }
  });
});

describe('the roots of browsers', () => {
  it('are those that Node has, and certify themselves', () => {
    const publicRoots = createTrustedRoots();
    expect(publicRoots.certify(new X509Certificate(root.certPem), now)).toBe(false);
    expect(
      refusalOf(
        checkCertificate(
          { certificate: leaf.chainPem, privateKey: leaf.keyPem, trust: 'public' },
          { name, now, roots: publicRoots },
        ),
      ),
    ).toMatch(/^certificate_untrusted/);
  });
});

function pemOf(label: string, body: string): string {
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
}

/** Processor time of this thread, in microseconds. */
function processorTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
