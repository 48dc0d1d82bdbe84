import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  BasicConstraintsExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { findChainFault } from './check-chain.js';

const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const now = new Date('2026-11-21T12:00:00Z');
const hour = 3_600_000;
const makeKeys = () => webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
type Keys = Awaited<ReturnType<typeof makeKeys>>;

let authority: Keys;
let applicant: Keys;
let csrPem: string;
let issuer: string;

beforeAll(async () => {
  [authority, applicant] = [await makeKeys(), await makeKeys()];
  csrPem = (await Pkcs10CertificateRequestGenerator.create({ keys: applicant, signingAlgorithm })).toString('pem');
  issuer = await certificate({
    subject: 'CN=CA',
    publicKey: authority.publicKey,
    extensions: [new BasicConstraintsExtension(true)],
  });
});

async function certificate(changes: object = {}): Promise<string> {
  const made = await X509CertificateGenerator.create({
    subject: 'CN=docs.acme.example',
    issuer: 'CN=CA',
    notBefore: new Date(now.getTime() - hour),
    notAfter: new Date(now.getTime() + hour),
    publicKey: applicant.publicKey,
    signingKey: authority.privateKey,
    signingAlgorithm,
    extensions: [new SubjectAlternativeNameExtension([{ type: 'dns', value: 'docs.acme.example' }])],
    ...changes,
  });
  return made.toString('pem');
}

async function faultOf(leaf: string, next = issuer, name = 'docs.acme.example'): Promise<string | null> {
  return findChainFault(`${leaf}\n${next}\n`, name, csrPem, now);
}

describe('findChainFault', () => {
  it('accepts a chain for the name and the key', async () => {
    expect(await faultOf(await certificate())).toBeNull();
  });

  it('refuses an answer without a certificate', () => {
    expect(findChainFault('<html>', 'docs.acme.example', csrPem, now)).toBe('no certificate came');
  });

  it('refuses a certificate for another name, even when its subject says ours', async () => {
    const extensions = [new SubjectAlternativeNameExtension([{ type: 'dns', value: 'other.example' }])];
    expect(await faultOf(await certificate({ extensions }))).toBe('the certificate is not for docs.acme.example');
  });

  it('refuses a certificate for another key', async () => {
    const { publicKey } = await makeKeys();
    expect(await faultOf(await certificate({ publicKey }))).toBe('the certificate is for another key');
  });

  it('refuses one that has expired or is not valid yet', async () => {
    const before = new Date(now.getTime() - 2 * hour);
    expect(await faultOf(await certificate({ notBefore: before, notAfter: new Date(now.getTime() - 1) }))).toBe(
      'certificate 1 of the chain has expired',
    );
    expect(await faultOf(await certificate({ notBefore: new Date(now.getTime() + hour / 2) }))).toBe(
      'certificate 1 of the chain is not valid yet',
    );
  });

  it('refuses a chain whose parts do not belong together', async () => {
    const stranger = await makeKeys();
    const extensions = [new BasicConstraintsExtension(true)];
    const other = await certificate({ subject: 'CN=CA', publicKey: stranger.publicKey, extensions });
    expect(await faultOf(await certificate(), other)).toBe('certificate 1 of the chain is not signed by the next');
  });
});
