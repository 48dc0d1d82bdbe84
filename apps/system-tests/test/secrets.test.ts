/**
 * Secrets stay where they belong. The complete scenario runs on Redis and PostgreSQL with every log line; then everything that
 * was sent and stored is searched for each secret in the forms it could take.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createPetsClient } from '@pets/client';
import { createScenarioClient, openDevRecords, runStartCommand, type RunningStack } from '@pets/dev-stack';
import {
  describeWhen,
  isInstalled,
  startTestPostgres,
  startTestRedis,
  waitUntil,
  type TestPostgres,
  type TestRedis,
} from '@pets/testing';
import pg from 'pg';
import { findLeaks, openSealedKey, parseKeks, secretBytes, secretKey, secretText, type SealedRow } from './leaks.js';
import { dumpRedis, monitorRedis } from './redis-contents.js';
import { addDomain, goLive, SITE } from './domain-steps.js';
import { startWebhookReceiver } from './webhook-receiver.js';

jest.setTimeout(120_000);

/** A text that shows that a place was searched while the scenario was in it, where that is not the domain's name. */
const signOfLife: Readonly<Record<string, string>> = {
  logs: '/v1/projects/:projectId/domains/:domain/verify',
  Redis: 'bull:',
};

const missing = ['redis-server', 'redis-cli'].filter((program) => !isInstalled(program));

describeWhen(describe, 'secrets', missing.length === 0 ? null : `not installed: ${missing.join(', ')}`, () => {
  let dataDir: string;
  let redis: TestRedis;
  let postgres: TestPostgres;
  let database: pg.Client;
  let monitor: Awaited<ReturnType<typeof monitorRedis>>;
  let stack: RunningStack;
  /** Answers of the API, without those that hand out a secret: that is shown once. */
  const answers: string[] = [];
  const handedOut = { apiKey: '', sessionKey: '', webhookSecrets: ['', ''] };

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pets-secrets-'));
    const started = await startTestRedis();
    if (started === null) throw new Error('a service that is installed did not start');
    redis = started;
    monitor = await monitorRedis(redis.port);
    postgres = await startTestPostgres();
    const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
    const services = { REDIS_URL: redis.url, DATABASE_URL: postgres.url };
    stack = await runStartCommand({ dataDir, env: { ...inherited, ...services, LOG_LEVEL: 'trace' } });
    database = new pg.Client({ connectionString: postgres.url });
    await database.connect();
    await runScenario();
  });
  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await monitor?.stop();
    await postgres?.stop();
    await redis?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** A key and a session are made and used, a domain goes live with the session, and somebody sends nonsense. */
  async function runScenario(): Promise<void> {
    const { apiUrl, apiKey, projectId } = stack.dev;
    handedOut.apiKey = await create('/v1/api-keys', apiKey, {
      name: 'mine',
      scopes: ['domains:read', 'domains:write'],
    });
    handedOut.sessionKey = await create('/v1/sessions', handedOut.apiKey);
    const pets = createPetsClient({
      baseUrl: apiUrl,
      apiKey: handedOut.sessionKey,
      fetch: async (request) => {
        const response = await fetch(request, { signal: AbortSignal.timeout(15_000) });
        await keep(response.clone());
        return response;
      },
    });
    await hearOfPets(apiKey);
    const visitor = createScenarioClient(stack.dev, await readFile(stack.dev.caCertificatePath, 'utf8'));
    const records = openDevRecords(stack.dev);
    const createRecord = (name: string, target: string) => records.put({ name, type: 'CNAME', data: `${target}.` });
    const setting = { pets, visitor, projectId, createRecord };
    await goLive(setting, SITE, await addDomain(setting, SITE));
    expect((await visitor.visit(SITE)).status).toBe(200);
    const authorization = `Bearer ${apiKey}`;
    for (const [method, path, body] of [
      ['GET', '/v1/api-keys', undefined],
      ['GET', '/v1/nothing', undefined],
      ['POST', '/v1/pets', '{ not JSON'],
      ['GET', '/v1/pets?limit=-1', undefined],
    ] as const) {
      const headers = { authorization, 'content-type': 'application/json' };
      await keep(await fetch(apiUrl + path, { method, headers, ...(body !== undefined && { body }) }));
    }
  }

  /** An endpoint receives an event, and gets another secret. */
  async function hearOfPets(apiKey: string): Promise<void> {
    const receiver = await startWebhookReceiver(() => 204);
    const wanted = { url: receiver.url, eventTypes: ['pet.created'] };
    const path = '/v1/webhook-endpoints';
    const made = await create(path, apiKey, wanted);
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    const listed = await fetch(stack.dev.apiUrl + path, { headers });
    const [endpoint] = (await listed.clone().json()) as { id: string }[];
    await keep(listed);
    const rotated = await create(`${path}/${endpoint?.id}/rotate-secret`, apiKey, undefined, 200);
    handedOut.webhookSecrets = [made, rotated];
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    await keep(await fetch(`${stack.dev.apiUrl}/v1/pets`, { method: 'POST', headers, body }));
    await waitUntil(() => receiver.requests.length > 0, { timeoutMs: 15_000, message: 'the webhook' });
    await receiver.close();
  }

  async function keep(response: Response): Promise<void> {
    answers.push(`${response.url} ${JSON.stringify([...response.headers])} ${await response.text()}`);
  }

  async function create(path: string, key: string, body?: object, status = 201): Promise<string> {
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': `"${randomUUID()}"` };
    const response = await fetch(stack.dev.apiUrl + path, {
      method: 'POST',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.status).toBe(status);
    return ((await response.json()) as { secret: string }).secret;
  }

  const readSecret = async (name: string) => (await readFile(join(dataDir, 'secrets', name), 'utf8')).trim();
  const sealedKeys = async () =>
    (await database.query<SealedRow>('select id, organization_id, sealed_key from certificates order by id')).rows;

  it('are in no log line, no answer, no message, no table and no file of an edge', async () => {
    const keks = parseKeks(await readSecret('certificate-keks'));
    const rows = await sealedKeys();
    expect(rows.length).toBeGreaterThan(0);
    const secrets = [
      { what: 'a private key in PEM', forms: ['PRIVATE KEY'] },
      ...rows.map((row) => secretKey(`the key of certificate ${row.id}`, openSealedKey(keks, row))),
      ...[...keks].map(([id, key]) => secretBytes(`key-encryption key ${id}`, key)),
      secretKey('the ACME account key', await readSecret('acme-account-key.pem')),
      secretKey('the platform’s key', await readSecret('platform-key.pem')),
      secretText('the edge token', await readSecret('edge-token')),
      secretText('the app secret', await readSecret('app-secret')),
      secretText('an API key', handedOut.apiKey),
      secretText('the seeded API key', stack.dev.apiKey),
      secretText('a session key', handedOut.sessionKey),
      ...handedOut.webhookSecrets.flatMap((secret) => [
        secretText('a webhook secret', secret),
        secretBytes('the bytes of a webhook secret', Buffer.from(secret.slice('whsec_'.length), 'base64')),
      ]),
    ];
    const places = {
      // The greeting of a development stack shows its key; what a service printed is JSON, or has its name before it.
      logs: stack.lines.filter((line) => /^[[{]/.test(line)).join('\n'),
      answers: answers.join('\n'),
      Redis: await dumpRedis(redis.port),
      'what was said to Redis': monitor.lines.join('\n'),
      PostgreSQL: await dumpTables(database),
      'the files of the edge': await readFolder(join(dataDir, 'edge')),
    };
    expect(Object.entries(places).filter(([place, text]) => !text.includes(signOfLife[place] ?? SITE))).toEqual([]);
    expect(findLeaks(secrets, places)).toEqual([]);
  });

  it('would be found: each form of a key is one that is searched for', async () => {
    const pem = await readSecret('acme-account-key.pem');
    const account = secretKey('key', pem);
    const der = Buffer.from(pem.replaceAll(/-----.*-----|\s/g, ''), 'base64');
    const shapes = [
      pem,
      JSON.stringify({ pem }),
      der.toString('hex'),
      der.toString('base64url'),
      `x${der.toString('base64')}`,
    ];
    for (const shape of shapes) expect(findLeaks([account], { shape })).toHaveLength(1);
    expect(findLeaks([secretText('token', 'abc-token-of-mine')], { log: 'Bearer abc-token-of-mine' })).toHaveLength(1);
  });

  it('that are sealed open in their own row alone', async () => {
    const keks = parseKeks(await readSecret('certificate-keks'));
    const [row] = await sealedKeys();
    if (row === undefined) throw new Error('no certificate was issued');
    expect(openSealedKey(keks, row)).toContain('BEGIN PRIVATE KEY');
    expect(() => openSealedKey(keks, { ...row, id: randomUUID() })).toThrow();
    expect(() => openSealedKey(keks, { ...row, organization_id: stack.dev.projectId })).toThrow();
  });
});

/** Every row of every table, ours and those of the queues. */
async function dumpTables(database: pg.Client): Promise<string> {
  const { rows: tables } = await database.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const texts = [];
  for (const { name } of tables) {
    const { rows } = await database.query<{ text: string }>(`select t::text as text from ${name} t`);
    texts.push(name, ...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

async function readFolder(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return (await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name), 'utf8')))).join('\n');
}
