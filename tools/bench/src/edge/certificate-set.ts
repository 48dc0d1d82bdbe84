import { execFile } from 'node:child_process';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  type KeyObject,
} from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { certificateKeyBinding, type SealedCertificate } from '@pets/contracts';
import { parseKeyRing, seal } from '@pets/platform';
import { repositoryRoot } from '@pets/testing/processes';

/** X.509 as far as a hundred thousand certificates need it (RFC 5280 §4.1): encoded by hand, a fraction of a millisecond each. */

interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
}

interface KeyAndCertificate {
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
function issueLeaf(issuer: Issuer, dnsName: string): KeyAndCertificate {
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
    distinguishedName(issuer.name),
    der(SEQUENCE, time('200101000000Z'), time('491231235959Z')),
    distinguishedName(subject),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    der(0xa3, der(SEQUENCE, extension)),
  );
  const signature = der(0x03, Buffer.from([0]), sign('sha256', toBeSigned, issuer.key));
  return {
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificatePem: pem(der(SEQUENCE, toBeSigned, ecdsaWithSha256, signature)),
  };
}

function distinguishedName(text: string): Buffer {
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

/**
 * Certificates of test names from one authority, in a folder below the system's temporary folder, so that the next run can use
 * them: `pairs/<batch>/<n>.pem` with chain and key for servers that read files, `sealed/<batch>/<SHA-256 of the id>` for our edge.
 */
export interface CertificateSet {
  readonly folder: string;
  /** Key-encryption keys of the sealed certificates, in the format of the edge's setting. */
  readonly keks: string;
  /** The root of all chains, PEM. */
  readonly rootPem: string;
}

export const BATCH = 1_000;
const ORGANIZATION = 'bench';
const ID_PREFIX = '00000000-0000-4000-8000-';

const LIMIT_MS = 600_000;

export const nameOf = (index: number): string => `n${index}.edge-bench.test`;
/** A UUID that ends with the number. */
export const certificateIdOf = (index: number): string => ID_PREFIX + index.toString(16).padStart(12, '0');
/** @returns NaN for a text that is no such id */
export const indexOfCertificate = (id: string): number =>
  id.startsWith(ID_PREFIX) ? Number.parseInt(id.slice(ID_PREFIX.length), 16) : Number.NaN;
export const batchFolder = (set: string, kind: 'pairs' | 'sealed', batch: number): string =>
  join(set, kind, String(batch));
export const pairPath = (set: string, index: number): string =>
  join(batchFolder(set, 'pairs', Math.floor(index / BATCH)), `${index}.pem`);

/** The set with certificates for at least `count` names. Creates missing ones on all processors. */
export async function openCertificateSet(count: number): Promise<CertificateSet> {
  const folder = join(tmpdir(), 'pets-bench-certificates-3');
  if (!existsSync(join(folder, 'made'))) await makeAuthorities(folder);
  const missing = Array.from({ length: Math.ceil(count / BATCH) }, (_, batch) => batch).filter(
    (batch) => !existsSync(batchFolder(folder, 'sealed', batch)),
  );
  // The built one, also for tests, which run from sources.
  const program = join(repositoryRoot, 'tools/bench/dist/edge/make-certificates-main.js');
  const processors = Array.from({ length: availableParallelism() }, (_, processor) =>
    missing.filter((_batch, index) => index % availableParallelism() === processor),
  ).filter(({ length }) => length > 0);
  await Promise.all(
    processors.map((batches) =>
      promisify(execFile)(process.execPath, [program, folder, ...batches.map(String)], { timeout: LIMIT_MS }),
    ),
  );
  return {
    folder,
    keks: await readFile(join(folder, 'keks'), 'utf8'),
    rootPem: await readFile(join(folder, 'root.pem'), 'utf8'),
  };
}

/** Creates the thousand certificates of a batch. The folder of sealed ones appears last and marks a complete batch. */
export async function makeBatch(folder: string, batch: number): Promise<void> {
  const intermediatePem = await readFile(join(folder, 'intermediate.pem'), 'utf8');
  const issuer: Issuer = {
    name: INTERMEDIATE,
    key: createPrivateKey(await readFile(join(folder, 'intermediate.key'), 'utf8')),
  };
  const ring = parseKeyRing(await readFile(join(folder, 'keks'), 'utf8'));
  const pairs = batchFolder(folder, 'pairs', batch);
  const sealed = batchFolder(folder, 'sealed', batch);
  const unfinished = `${sealed}.tmp`;
  await rm(unfinished, { recursive: true, force: true });
  await Promise.all([pairs, unfinished].map((path) => mkdir(path, { recursive: true })));
  for (let index = batch * BATCH; index < (batch + 1) * BATCH; index++) {
    const { certificatePem, keyPem } = issueLeaf(issuer, nameOf(index));
    const id = certificateIdOf(index);
    const chainPem = certificatePem + intermediatePem;
    const sealedKey = seal(ring, keyPem, certificateKeyBinding(id, ORGANIZATION));
    const stored: SealedCertificate = { id, organizationId: ORGANIZATION, chainPem, sealedKey };
    await writeFile(join(pairs, `${index}.pem`), chainPem + keyPem);
    const content = JSON.stringify(stored);
    await writeFile(join(unfinished, cachedName(id)), Buffer.concat([checksumOf(id, content), Buffer.from(content)]));
  }
  await rename(unfinished, sealed);
}

/** The name of a certificate's file in the edge's disk cache. */
function cachedName(id: string): string {
  return createHash('sha256').update(id).digest('hex');
}

/** The JSON text of a sealed certificate of the set. */
export async function readSealed(set: string, index: number): Promise<Buffer> {
  const folder = batchFolder(set, 'sealed', Math.floor(index / BATCH));
  return (await readFile(join(folder, cachedName(certificateIdOf(index))))).subarray(CHECKSUM_BYTES);
}

const CHECKSUM_BYTES = 4;

/** In the format of the edge's disk cache, where a small file is one block. */
function checksumOf(key: string, content: string): Buffer {
  const checksum = Buffer.alloc(CHECKSUM_BYTES);
  checksum.writeUInt32LE(crc32(content, crc32(`last 0 ${key}`)));
  return checksum;
}

const INTERMEDIATE = 'Bench Intermediate';

async function makeAuthorities(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const root = issueAuthority('Bench Root');
  const intermediate = issueAuthority(INTERMEDIATE, { name: 'Bench Root', key: createPrivateKey(root.keyPem) });
  await writeFile(join(folder, 'root.pem'), root.certificatePem);
  await writeFile(join(folder, 'intermediate.pem'), intermediate.certificatePem);
  await writeFile(join(folder, 'intermediate.key'), intermediate.keyPem, { mode: 0o600 });
  await writeFile(join(folder, 'keks'), `bench:${randomBytes(32).toString('base64')}`, { mode: 0o600 });
  await writeFile(join(folder, 'made'), '');
}
