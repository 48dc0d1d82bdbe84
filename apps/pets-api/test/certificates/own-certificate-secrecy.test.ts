/** The private key of an upload exists only sealed: it is searched for wherever anything of a request could be kept. */
import { createPrivateKey } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger, startTracing, type Tracing } from '@pets/platform';
import { createTestCa, startOtlpReceiver, waitUntil, type OtlpReceiver } from '@pets/testing';
import { sql } from 'kysely';
import { startDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { ownCertificateSteps } from './own-certificate-steps.js';

const service = { name: 'pets-api', folder: `${import.meta.dirname}/../..` };
const lines: string[] = [];
const log = createLogger('test', 'trace', { write: (line) => void lines.push(line) });
let receiver: OtlpReceiver;
let tracing: Tracing | null;
let folder: string;
let fixture: DomainFixture;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  folder = await mkdtemp(join(tmpdir(), 'pets-secrecy-'));
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: {} };
  tracing = await startTracing(settings, service, log);
  const storage = { STORAGE_URL: pathToFileURL(folder).href };
  fixture = await startDomainFixture(log, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...storage });
});
afterAll(async () => {
  await fixture.close();
  await tracing?.stop();
  await receiver.close();
  await rm(folder, { recursive: true, force: true });
});

/** Every row of every table as text, those of the queues included. */
async function dumpDatabase(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`.execute(fixture.api.db);
  const texts: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string }>`select t::text as text from ${sql.raw(name)} t`.execute(
      fixture.api.db,
    );
    texts.push(...rows.map(({ text }) => text));
  }
  return texts.join('\n');
}

async function readFolder(): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
}

it('the private key is in no log line, trace, table, queue or file', async () => {
  const { upload, pathOf, untilOwn, prefer } = ownCertificateSteps(fixture);
  const { id, name } = await fixture.verified();
  const ca = await (await createTestCa()).issueCa('Test Issuing CA');
  const leaf = await ca.issue({ names: [name], crlUrls: ['http://crl.example/ca.crl'] });
  const body = { certificate: leaf.chainPem, privateKey: leaf.keyPem };
  const { key } = fixture;
  const answers: { readonly text: string }[] = [
    // Accepted, refused by the schema and by the checks, malformed, and with a key for idempotency.
    await fixture.api.request('PUT', pathOf(id), { key, body: { ...body, trust: 'all' } }),
    await fixture.api.request('PUT', pathOf(id), { key, body: { ...body, privateKey: [leaf.keyPem] } }),
    await fixture.api.request('PUT', pathOf(id), { key, body: { ...body, certificate: leaf.keyPem } }),
    await fixture.api.request('PUT', pathOf(id), { key, body: `{"privateKey":${JSON.stringify(leaf.keyPem)},}` }),
    await fixture.api.request('POST', fixture.path(), { key, body, headers: { 'idempotency-key': 'once' } }),
    await upload(id, leaf),
  ];
  const check = await fixture.worker.nextRevocationCheck(id);
  const { certificateId, domainId, attempt } = check;
  const event = { certificateId, domainId, attempt, result: 'good', detail: null } as const;
  await fixture.api.messaging.events.emit('revocation_list.checked', event);
  await untilOwn(id, ({ state }) => state === 'active');
  answers.push(await prefer(id, 'automatic'), await fixture.api.request('GET', `${fixture.path()}/${id}`, { key }));
  await waitUntil(() => receiver.spans.some((span) => JSON.stringify(span).includes('certificate')), {
    timeoutMs: 20_000,
    message: 'the traces',
  });

  const places = {
    answers: answers.map(({ text }) => text).join('\n'),
    job: JSON.stringify(check),
    logs: lines.join('\n'),
    traces: JSON.stringify(receiver.spans),
    database: await dumpDatabase(),
    storage: await readFolder(),
  };
  // They were read: what may be known is there.
  expect(places.logs).toContain('uploaded certificate activated');
  expect(places.database).toContain(leaf.sha256);
  expect(places.storage).toContain(certificateId);
  const der = createPrivateKey(leaf.keyPem).export({ type: 'pkcs8', format: 'der' });
  const secret = Buffer.from(String(createPrivateKey(leaf.keyPem).export({ format: 'jwk' }).d), 'base64url');
  const forms = [
    ...leaf.keyPem.split('\n').filter((line) => line.length > 30 && !line.startsWith('-')),
    ...[der, secret].flatMap((bytes) => [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]),
    'PRIVATE KEY-----\\nM',
  ];
  for (const [place, text] of Object.entries(places))
    for (const form of forms) expect([place, text.includes(form)]).toEqual([place, false]);
}, 60_000);
