import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Pkcs10CertificateRequestGenerator,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
  type JsonGeneralNames,
} from '@peculiar/x509';
import { validateChain } from './check-chain.js';

const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const name = 'docs.acme.example';
const now = new Date('2026-11-21T12:00:00Z');
const hour = 3_600_000;
const inHours = (hours: number) => new Date(now.getTime() + hours * hour);
const makeKeys = () => webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify']);
type Keys = Awaited<ReturnType<typeof makeKeys>>;

let root: Keys;
let authority: Keys;
let applicant: Keys;
let stranger: Keys;
let csrPem: string;

beforeAll(async () => {
  [root, authority, applicant, stranger] = [await makeKeys(), await makeKeys(), await makeKeys(), await makeKeys()];
  csrPem = (await Pkcs10CertificateRequestGenerator.create({ keys: applicant, signingAlgorithm })).toString('pem');
});

async function certificate(changes: object = {}): Promise<string> {
  const made = await X509CertificateGenerator.create({
    subject: `CN=${name}`,
    issuer: 'CN=CA',
    notBefore: inHours(-1),
    notAfter: inHours(1),
    publicKey: applicant.publicKey,
    signingKey: authority.privateKey,
    signingAlgorithm,
    extensions: [names({ type: 'dns', value: name }), forServers],
    ...changes,
  });
  return made.toString('pem');
}

const issuer = (changes: object = {}) =>
  certificate({
    subject: 'CN=CA',
    issuer: 'CN=Root',
    publicKey: authority.publicKey,
    signingKey: root.privateKey,
    extensions: [new BasicConstraintsExtension(true)],
    ...changes,
  });

const names = (...items: JsonGeneralNames) => new SubjectAlternativeNameExtension(items);
const forServers = new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]);
const forClients = new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]);
const faultOf = (...chain: string[]) => validateChain(chain.join('\n'), name, csrPem, now);
const garbage = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----';

describe('findChainFault', () => {
  it('accepts a chain for the name and the key, with its root or without', async () => {
    const rootCertificate = await issuer({ subject: 'CN=Root', publicKey: root.publicKey });
    expect(faultOf(await certificate(), await issuer())).toBeNull();
    expect(faultOf(await certificate(), await issuer(), rootCertificate)).toBeNull();
  });

  type Case = readonly [fault: string, chain: () => Promise<readonly string[]>];
  const leaf = (changes: () => object): (() => Promise<readonly string[]>) => {
    return async () => [await certificate(changes()), await issuer()];
  };
  const other = { type: 'dns', value: 'other.example' } as const;
  const cases: readonly Case[] = [
    ['it has no certificate', async () => ['<html>']],
    ['it has 11 certificates', async () => Array.from({ length: 11 }, () => garbage)],
    ['certificate 1 of the chain cannot be parsed', async () => [garbage]],
    ['certificate 2 of the chain cannot be parsed', async () => [await certificate(), garbage]],
    ['its first certificate is a CA certificate', async () => [await issuer(), await certificate()]],
    // The subject says our name in each of these.
    [
      `the certificate is not for ${name} alone but for DNS:other.example`,
      leaf(() => ({ extensions: [names(other), forServers] })),
    ],
    [
      `the certificate is not for ${name} alone but for DNS:${name}, DNS:other.example`,
      leaf(() => ({ extensions: [names({ type: 'dns', value: name }, other), forServers] })),
    ],
    [
      `the certificate is not for ${name} alone but for DNS:*.acme.example`,
      leaf(() => ({ extensions: [names({ type: 'dns', value: '*.acme.example' }), forServers] })),
    ],
    [`the certificate is not for ${name} alone but for no name`, leaf(() => ({ extensions: [forServers] }))],
    ['the certificate is for another key', leaf(() => ({ publicKey: stranger.publicKey }))],
    [
      'the certificate is not for TLS servers',
      leaf(() => ({ extensions: [names({ type: 'dns', value: name }), forClients] })),
    ],
    ['the certificate is not for TLS servers', leaf(() => ({ extensions: [names({ type: 'dns', value: name })] }))],
    ['certificate 1 of the chain has expired', leaf(() => ({ notBefore: inHours(-2), notAfter: inHours(-0.001) }))],
    ['certificate 1 of the chain is not valid yet', leaf(() => ({ notBefore: inHours(0.5) }))],
    [
      'certificate 2 of the chain has expired',
      async () => [await certificate(), await issuer({ notBefore: inHours(-2), notAfter: inHours(-1) })],
    ],
    [
      'certificate 1 of the chain is not signed by the next',
      async () => [await certificate(), await issuer({ publicKey: stranger.publicKey })],
    ],
    [
      'certificate 1 of the chain is not signed by the next',
      async () => [await certificate(), await issuer({ subject: 'CN=Other CA' })],
    ],
    [
      'certificate 2 of the chain is not signed by the next',
      async () => [
        await certificate(),
        await issuer(),
        await issuer({ subject: 'CN=Root', publicKey: stranger.publicKey }),
      ],
    ],
    [
      'certificate 1 of the chain is not signed by the next',
      async () => [
        await certificate(),
        await issuer({ subject: 'CN=Root', publicKey: root.publicKey }),
        await issuer(),
      ],
    ],
    [
      'certificate 1 of the chain is followed by a certificate that is not a CA',
      async () => [await certificate(), await issuer({ extensions: [new BasicConstraintsExtension(false)] })],
    ],
  ];

  it.each(cases)('%s', async (fault, chain) => {
    expect(faultOf(...(await chain()))).toBe(fault);
  });
});
