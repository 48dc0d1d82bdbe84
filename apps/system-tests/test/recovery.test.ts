/** The steps of docs/operations/backup-and-restore.md and docs/operations/rotate-secrets.md, on a running fixture. */
import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { StackEdge, StackProcess } from '@pets/lab';
import { describeWhen, startDevCa, waitUntil, type DevCa } from '@pets/testing';
import pg from 'pg';
import { missingForReplicas, startAgain, startReplicas, type ReplicasFixture } from './replicas/replicas-fixture.js';
import { createPet, goLiveOn, visitOn } from './replicas/steps.js';
import { addDomain, at, getDomain, SITE } from './domain-steps.js';

jest.setTimeout(150_000);

const LATER = 'later.example.com';

describeWhen(describe, 'after a loss', missingForReplicas(), () => {
  let fixture: ReplicasFixture;
  let api: StackProcess;
  let worker: StackProcess;
  let edge: StackEdge;
  let otherCa: { readonly ca: DevCa; readonly folder: string } | undefined;

  beforeAll(async () => {
    fixture = await startReplicas({ apis: 1, workers: 1, edges: 1 });
    const [[firstApi], [firstWorker], [firstEdge]] = [fixture.apis, fixture.workers, fixture.edges];
    if (firstApi === undefined || firstWorker === undefined || firstEdge === undefined)
      throw new Error('one is missing');
    [api, worker, edge] = [firstApi, firstWorker, firstEdge];
    await goLiveOn(fixture, SITE);
  });
  afterAll(async () => {
    await fixture?.close();
    await otherCa?.ca.close();
    if (otherCa !== undefined) await rm(otherCa.folder, { recursive: true, force: true });
  });

  const isServed = (name: string) =>
    visitOn(fixture, name, edge.httpsPort).then(
      (status) => status === 200,
      () => false,
    );

  it('of everything in Redis, what was under way comes to its end', async () => {
    const name = 'waiting.example.com';
    const target = await addDomain(fixture, name);
    await worker.stop();
    fixture.dns.put({ type: 'CNAME', name, data: `${target}.` });
    await fixture.pets.POST('/v1/projects/{projectId}/domains/{domain}/verify', at(fixture, name));
    await promisify(execFile)('redis-cli', ['-p', String(fixture.redisPort), 'flushall'], { timeout: 10_000 });
    await startAgain(worker);
    const isLive = async () => (await getDomain(fixture, name)).state === 'live';
    await waitUntil(isLive, { timeoutMs: 60_000, intervalMs: 250, message: `${name} to go live` });
  });

  it('of the database, a copy of it is gone on with, and the edges forget what it does not know', async () => {
    await createPet(fixture);
    await api.stop();
    await replaceDatabase(fixture.databaseUrl, 'backup', 'postgres');
    await startAgain(api);
    const lost = await createPet(fixture);
    await goLiveOn(fixture, LATER);
    expect(await isServed(LATER)).toBe(true);

    await api.stop();
    expect(await isServed(LATER)).toBe(true);
    await replaceDatabase(fixture.databaseUrl, 'postgres', 'backup');
    await execute(fixture.databaseUrl, 'update edge_feed set epoch = gen_random_uuid()');
    await startAgain(api);

    await waitUntil(async () => !(await isServed(LATER)), { timeoutMs: 15_000, message: 'the edge to forget' });
    expect(await isServed(SITE)).toBe(true);
    expect(await createPet(fixture)).toBe(lost);
    await goLiveOn(fixture, LATER);
    expect(await isServed(LATER)).toBe(true);
  });

  it('of every secret but the key-encryption keys, and of the CA, new ones take their place while visitors are served', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'pets-other-ca-'));
    const ca = await startDevCa({
      dataDir: folder,
      dnsServers: [fixture.dns.address],
      httpPort: fixture.balancers.http.port,
    });
    otherCa = { ca, folder };
    const changed = { ACME_DIRECTORY_URLS: ca.directoryUrl };
    const EDGE_TOKEN = randomBytes(32).toString('hex');
    await Promise.all([api.stop(), worker.stop()]);
    await startAgain(api, { env: { ...changed, EDGE_TOKEN, APP_SECRET: randomBytes(32).toString('hex') } });
    expect(await isServed(SITE)).toBe(true);
    await edge.process.stop();
    await startAgain(edge.process, { env: { EDGE_TOKEN } });
    expect(await isServed(SITE)).toBe(true);
    await startAgain(worker, { env: { ...changed, ACME_ACCOUNT_KEY: makeAccountKey() } });

    await goLiveOn(fixture, 'new-ca.example.com');
    const other = { ...fixture, ca };
    expect(await visitOn(other, 'new-ca.example.com', edge.httpsPort)).toBe(200);
    await expect(visitOn(other, SITE, edge.httpsPort)).rejects.toThrow('unable to get local issuer certificate');
  });
});

/** Makes `to` what `from` is, as `pg_dump` and `pg_restore` do, without a file between. Nobody may be connected. */
async function replaceDatabase(url: string, to: string, from: string): Promise<void> {
  const aside = new URL(url);
  aside.pathname = '/template1';
  await execute(aside.href, `drop database if exists ${to} with (force)`);
  await execute(aside.href, `create database ${to} template ${from}`);
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, query_timeout: 30_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function makeAccountKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}
