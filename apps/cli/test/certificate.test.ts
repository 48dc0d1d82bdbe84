import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { certificateChoiceSchema, domainSchema } from '@pets/contracts';
import { openDevRecords } from '@pets/dev-stack';
import { createTestCa, testKeys, waitUntil, type TestLeaf } from '@pets/testing';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';

jest.setTimeout(120_000);

const SITE = 'own.example.com';
/** Site without a record. */
const OTHER = 'own-other.example.com';
let started: PetsStack | undefined;
let folder: string;
let stack: PetsStack['stack'];
let pets: Pets;

beforeAll(async () => {
  started = await openPetsStack();
  ({ folder, stack, pets } = started);
});
afterAll(() => started?.stop());

/** Writes the files of an upload. */
async function setCommand(name: string, { chainPem, keyPem }: TestLeaf): Promise<string[]> {
  const [cert, key] = [join(folder, 'chain.pem'), join(folder, 'key.pem')];
  await writeFile(cert, chainPem);
  await writeFile(key, keyPem);
  return ['domains', 'certificate', 'set', name, '--cert', cert, '--key', key];
}

/** SHA-256 of the certificate that a visitor of the edge gets. */
async function presented(): Promise<string> {
  const { port } = new URL(stack.dev.edgeHttpsUrl);
  const socket = connect({ host: '127.0.0.1', port: Number(port), servername: SITE, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const leaf = socket.getPeerX509Certificate();
  socket.destroy();
  return leaf?.fingerprint256.replaceAll(':', '').toLowerCase() ?? '';
}

const untilPresented = (sha256: string) =>
  waitUntil(async () => (await presented()) === sha256, { timeoutMs: 20_000, message: `the certificate ${sha256}` });

it('is presented by the edge, of any accepted type, and gives way to the automatic one', async () => {
  const { outcome } = await pets.json(['domains', 'add', SITE]);
  const { records } = domainSchema.parse((outcome.result as { domain: unknown }).domain);
  const dns = openDevRecords(stack.dev);
  await dns.put({ name: SITE, type: 'CNAME', data: `${records[0]?.value}.` });
  await pets.run(['domains', 'wait', SITE, '--timeout', '60s']);
  const automatic = await presented();
  const ca = await (await createTestCa()).issueCa('Test Issuing CA');
  for (const key of [testKeys.p256, testKeys.p384, testKeys.rsa(2_048), testKeys.rsa(4_096)]) {
    const leaf = await ca.issue({ names: [SITE], key });
    expect((await pets.json([...(await setCommand(SITE, leaf)), '--trust', 'private'])).outcome.reason).toBe('active');
    await untilPresented(leaf.sha256);
  }
  expect((await pets.json(['domains', 'certificate', 'rm', SITE])).outcome.reason).toBe('removed');
  await untilPresented(automatic);
  await pets.run(['domains', 'remove', SITE, '--yes']);
});

it('uploads a certificate, shows it, chooses and deletes it', async () => {
  await pets.run(['domains', 'add', OTHER]);
  const ca = await (await createTestCa()).issueCa('Test Issuing CA');
  const leaf = await ca.issue({ names: [OTHER] });
  const set = await setCommand(OTHER, leaf);
  const cert = join(folder, 'chain.pem');
  const untrusted = await pets.json(set);
  expect([untrusted.code, untrusted.outcome.reason]).toEqual([4, 'certificate_untrusted']);
  const missing = await pets.json([
    'domains',
    'certificate',
    'set',
    OTHER,
    '--cert',
    cert,
    '--key',
    join(folder, 'no'),
  ]);
  expect([missing.code, missing.outcome.reason]).toEqual([2, 'file_unreadable']);

  const uploaded = await pets.json([...set, '--trust', 'private']);
  expect([uploaded.code, uploaded.outcome.reason]).toEqual([0, 'active']);
  expect(certificateChoiceSchema.parse(uploaded.outcome.result)).toMatchObject({
    source: 'own',
    own: { fingerprint: leaf.sha256 },
  });
  const { stdout: domain } = await pets.run(['domains', 'show', OTHER]);
  expect(domain).toMatch(new RegExp(`^Own certificate \\(visitors get it\\)\n.*\n {2}names +${OTHER}$`, 'm'));
  expect(domain).toContain(leaf.sha256);
  const { stdout } = await pets.run(['domains', 'certificate', 'show', OTHER]);
  expect(stdout).toContain('Own certificate (visitors get it)');
  expect(stdout).toContain(leaf.sha256);
  const preferred = await pets.json(['domains', 'certificate', 'prefer', OTHER, 'automatic']);
  expect(preferred.outcome.message).toContain('visitors get the other one until it is valid');
  const removed = await pets.json(['domains', 'certificate', 'rm', OTHER]);
  expect([removed.code, removed.outcome.reason]).toEqual([0, 'removed']);
  expect((await pets.json(['domains', 'certificate', 'show', OTHER])).outcome.reason).toBe('none');
});
