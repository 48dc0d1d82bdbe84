import { createPublicKey, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

/** X.509 as far as a hundred thousand certificates need it (RFC 5280 §4.1): encoded by hand, a fraction of a millisecond each. */

export interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
}

export interface KeyAndCertificate {
  readonly keyPem: string;
  readonly certificatePem: string;
}

const SEQUENCE = 0x30;
const SET = 0x31;
const OCTETS = 0x04;

const ecdsaWithSha256 = der(SEQUENCE, objectId('2a8648ce3d040302'));
const commonName = objectId('550403');
const subjectAlternativeName = objectId('551d11');
const basicConstraints = objectId('551d13');
const YES = der(0x01, Buffer.from([0xff]));

/** A certificate for a name with an ECDSA P-256 key of its own. */
export function issueLeaf(issuer: Issuer, dnsName: string): KeyAndCertificate {
  const names = der(SEQUENCE, der(0x82, Buffer.from(dnsName)));
  return issue(issuer, '', der(SEQUENCE, subjectAlternativeName, der(OCTETS, names)));
}

/** A certificate of an authority: by another authority, or self-signed without one. */
export function issueAuthority(name: string, issuer?: Issuer): KeyAndCertificate {
  return issue(issuer, name, der(SEQUENCE, basicConstraints, YES, der(OCTETS, der(SEQUENCE, YES))));
}

function issue(given: Issuer | undefined, subject: string, extension: Buffer): KeyAndCertificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = given ?? { name: subject, key: privateKey };
  const toBeSigned = der(
    SEQUENCE,
    der(0xa0, der(0x02, Buffer.from([2]))), // version 3
    der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(15)])),
    ecdsaWithSha256,
    nameOf(issuer.name),
    der(SEQUENCE, time('200101000000Z'), time('491231235959Z')),
    nameOf(subject),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, issuer.key));
  return {
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: pem(der(SEQUENCE, toBeSigned, ecdsaWithSha256, signature)),
  };
}

function nameOf(text: string): Buffer {
  if (text === '') return der(SEQUENCE);
  return der(SEQUENCE, der(SET, der(SEQUENCE, commonName, der(0x0c, Buffer.from(text)))));
}

function time(utc: string): Buffer {
  return der(0x17, Buffer.from(utc));
}

function objectId(hexadecimal: string): Buffer {
  return der(0x06, Buffer.from(hexadecimal, 'hex'));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const header =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(header), content]);
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
