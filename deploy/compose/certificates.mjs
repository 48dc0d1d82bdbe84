/**
 * Certificates of the development profile, which no public CA would sign: of the platform's domain, and of Pebble's own
 * port. The key of their root is discarded; if one certificate must be renewed, all are.
 */
import { webcrypto, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import 'reflect-metadata';
import * as x509 from '@peculiar/x509';

const SIGNING = { name: 'ECDSA', hash: 'SHA-256' };
const EC_P256 = { name: 'ECDSA', namedCurve: 'P-256' };
const DAY_MS = 86_400_000;
const LIFE_MS = 825 * DAY_MS;
/** A start within this time of the expiry renews the certificate. */
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** Clocks differ a little between machines. */
const BACKDATE_MS = 3_600_000;

x509.cryptoProvider.set(webcrypto);

/** Whether a certificate is there, is for all these names, and is not near its end. */
export function isUsable(path, names, now) {
  if (!existsSync(path)) return false;
  const certificate = new X509Certificate(readFileSync(path));
  // `checkHost` takes a host name, not a wildcard: check any name below it.
  const covers = (name) => certificate.checkHost(name.replace('*', 'any')) !== undefined;
  return names.every(covers) && certificate.validToDate.getTime() - RENEW_BEFORE_MS > now.getTime();
}

/**
 * @param names of each certificate, by what it is for
 * @returns the root as PEM, and the leaves by what they are for: `certificatePem` and `keyPem`
 */
export async function makeDevelopmentCertificates(names, now) {
  const validity = { notBefore: new Date(now.getTime() - BACKDATE_MS), notAfter: new Date(now.getTime() + LIFE_MS) };
  const rootKeys = await makeKeys();
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    name: 'CN=Pets Development Root',
    keys: rootKeys,
    signingAlgorithm: SIGNING,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  const made = await Promise.all(
    Object.entries(names).map(async ([purpose, wanted]) => [purpose, await makeLeaf(wanted)]),
  );
  return { rootPem: root.toString('pem'), leaves: Object.fromEntries(made) };

  async function makeLeaf(hosts) {
    const keys = await makeKeys();
    const certificate = await x509.X509CertificateGenerator.create({
      ...validity,
      subject: `CN=${hosts[0]}`,
      issuer: root.subject,
      publicKey: keys.publicKey,
      signingKey: rootKeys.privateKey,
      signingAlgorithm: SIGNING,
      extensions: [
        new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value }))),
        new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
        await x509.AuthorityKeyIdentifierExtension.create(root),
      ],
    });
    return { certificatePem: certificate.toString('pem'), keyPem: await keyPem(keys.privateKey) };
  }
}

function makeKeys() {
  return webcrypto.subtle.generateKey(EC_P256, true, ['sign', 'verify']);
}

async function keyPem(privateKey) {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', privateKey)).toString('base64');
  const lines = der.match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
