import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { request, type ClientRequest } from 'node:http';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bundleLimits, type ApiError, type Deployment, type Plan, type Project } from '@pets/contracts';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { UploadSlots } from '../../src/projects/deployments/upload-slots.js';
import { deleteAbandonedFolders, makeUploadFolder } from '../../src/projects/deployments/bundle-storage.service.js';
import { makeBundle, site } from './bundles.js';
import { startTestApi, type ApiReplica, type TestApi } from '../harness.js';

type Line = Readonly<Record<string, unknown>>;

const SPACE_BYTES = 20_000_000;
const lines: Line[] = [];
let temporary: string;
let before: string | undefined;
let api: TestApi;
/** Begun first, since it is given up only after ten seconds. */
let stalled: { readonly uploader: Uploader; readonly upload: OpenUpload };

beforeAll(async () => {
  temporary = await mkdtemp(join(tmpdir(), 'uploads-test-'));
  before = process.env['TMPDIR'];
  process.env['TMPDIR'] = temporary;
  const log = createLogger('test', 'debug', { write: (line) => void lines.push(JSON.parse(line) as Line) });
  api = await startTestApi({ UPLOAD_SPACE_BYTES: String(SPACE_BYTES) }, undefined, log);
  const uploader = await openUploader('pro');
  stalled = { uploader, upload: begin(uploader, { bytes: 10_000 }) };
});
afterAll(async () => {
  await api.close();
  if (before === undefined) delete process.env['TMPDIR'];
  else process.env['TMPDIR'] = before;
  await rm(temporary, { recursive: true, force: true });
});

interface Uploader {
  readonly organizationId: string;
  readonly key: string;
  readonly path: string;
}

async function openUploader(plan: Plan): Promise<Uploader> {
  const { organizationId, key } = await api.createOrganization(plan);
  const body = { name: 'Site', slug: `site-${randomUUID()}` };
  const { body: project } = await api.request<Project>('POST', '/v1/projects', { key, body });
  return { organizationId, key, path: `/v1/projects/${project.id}/deployments` };
}

const send = <Body>({ key, path }: Uploader, bundle: Buffer, to: ApiReplica = api) =>
  to.request<Body>('POST', path, { key, body: bundle, headers: { 'content-type': 'application/gzip' } });

interface OpenUpload {
  readonly sent: ClientRequest;
  /** Resolves with the answer, or the error of the connection. */
  readonly answer: Promise<{ status: number; body: ApiError } | string>;
}

/** An upload that begins, and then sends nothing. */
function begin({ key, path }: Uploader, { bytes = 100_000, id = 'unnamed' } = {}): OpenUpload {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/gzip', 'x-request-id': id };
  const sent = request(`${api.url}${path}`, { method: 'POST', headers });
  const answer = new Promise<{ status: number; body: ApiError } | string>((resolve) => {
    sent.on('error', (error) => resolve(error.message));
    sent.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as ApiError;
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
  });
  const bundle = makeBundle([{ path: 'a', content: randomBytes(bytes / 2).toString('hex') }]);
  sent.write(bundle.subarray(0, -1_000));
  return { sent, answer };
}

const openRows = async ({ organizationId }: Uploader) =>
  (await api.db.selectFrom('uploads').select('id').where('organization_id', '=', organizationId).execute()).length;
const untilOpen = (uploader: Uploader, count: number) =>
  waitUntil(async () => (await openRows(uploader)) === count, { message: `${count} uploads are open` });
const folders = async () => (await readdir(temporary)).filter((name) => name.startsWith('pets-bundle-')).length;

describe('the upload limit of an organization', () => {
  it('counts the uploads on all replicas, and does not affect other organizations', async () => {
    const uploader = await openUploader('free');
    const neighbour = await openUploader('free');
    const open = [begin(uploader), begin(uploader)];
    await untilOpen(uploader, 2);
    const replica = await api.startReplica();
    for (const to of [api, replica]) {
      const refused = await send<ApiError>(uploader, site, to);
      expect(refused.status).toBe(429);
      expect(refused.body.code).toBe('rate_limited');
      expect(refused.headers.get('retry-after')).toBe('10');
      expect(refused.body.message).toBe('The organization can upload at most 2 deployments at a time.');
    }
    expect((await send<Deployment>(neighbour, site)).status).toBe(201);
    for (const { sent } of open) sent.destroy();
    await untilOpen(uploader, 0);
    expect((await send<Deployment>(uploader, site)).status).toBe(201);
    expect(await openRows(uploader)).toBe(0);
  });

  it('can be overridden by the operator', async () => {
    const uploader = await openUploader('free');
    const row = { organization_id: uploader.organizationId, name: 'concurrentUploads', value: 1n };
    await api.db.insertInto('organization_limits').values(row).execute();
    const { sent } = begin(uploader);
    await untilOpen(uploader, 1);
    expect((await send<ApiError>(uploader, site)).body.message).toContain('at most 1 deployments');
    sent.destroy();
    await untilOpen(uploader, 0);
  });

  it('counts uploads of a dead process until their leases expire, and deletes their rows', async () => {
    const uploader = await openUploader('free');
    const add = (lease: string) =>
      sql`insert into uploads (organization_id, lease_until)
        values (${uploader.organizationId}, now() + ${lease}::interval)`.execute(api.db);
    await add('1 minute');
    await add('-1 second');
    expect((await send<Deployment>(uploader, site)).status).toBe(201);
    await add('1 minute');
    expect((await send<ApiError>(uploader, site)).status).toBe(429);
    const slots = new UploadSlots(api.db, undefined as never, createLogger('test', 'silent'));
    expect(await slots.deleteExpired(100)).toBe(1);
    expect(await openRows(uploader)).toBe(2);
  });
});

describe('an upload', () => {
  it('that its client aborts is no error of ours', async () => {
    const uploader = await openUploader('free');
    const id = `aborted-${randomUUID()}`;
    const { sent } = begin(uploader, { id });
    await untilOpen(uploader, 1);
    sent.destroy();
    const line = await waitUntil(() => lines.find(({ msg, requestId }) => msg === 'request' && requestId === id), {
      message: 'its line',
    });
    await untilOpen(uploader, 0);
    expect(line).toMatchObject({ completed: false, status: 499, level: 30 });
    expect(lines.filter(({ requestId, level }) => requestId === id && Number(level) >= 40)).toEqual([]);
  });

  it('that is announced as too large is refused before the client sends it', async () => {
    const { key, path } = await openUploader('free');
    const ask = (bytes: number) =>
      new Promise<number | 'continue'>((resolve, reject) => {
        const upload = { 'content-type': 'application/gzip', 'content-length': bytes, expect: '100-continue' };
        const headers = { authorization: `Bearer ${key}`, ...upload };
        const sent = request(`${api.url}${path}`, { method: 'POST', headers });
        const end = (answer: number | 'continue') => {
          resolve(answer);
          sent.on('error', () => {}).destroy();
        };
        sent.on('error', reject);
        sent.on('continue', () => end('continue'));
        sent.on('response', ({ statusCode }) => end(statusCode ?? 0));
      });
    expect(await ask(bundleLimits.compressedBytes + 1)).toBe(413);
    expect(await ask(bundleLimits.compressedBytes)).toBe('continue');
  });

  it('for which there is no room is refused before it is written, and the next one is not', async () => {
    const uploader = await openUploader('free');
    const large = makeBundle([
      { path: 'a', content: 'x'.repeat(100) },
      { path: 'b', content: '', size: SPACE_BYTES },
    ]);
    const refused = await send<ApiError>(uploader, large);
    expect(refused.status).toBe(503);
    expect(refused.body.code).toBe('unavailable');
    expect(refused.headers.get('retry-after')).toBe('30');
    const many = makeBundle(Array.from({ length: 6_000 }, (_, nth) => ({ path: `${nth}`, content: '' })));
    expect((await send<ApiError>(uploader, many)).status).toBe(503);
    expect((await send<Deployment>(uploader, site)).status).toBe(201);
  });
});

describe('temporary folders', () => {
  it('of processes that died are deleted, others are not', async () => {
    const own = await makeUploadFolder();
    const child = execFileSync(process.execPath, ['-p', 'process.pid']).toString().trim();
    const dead = join(temporary, `pets-bundle-${hostname()}-${child}-abc`);
    const elsewhere = join(temporary, `pets-bundle-elsewhere-${child}-abc`);
    const old = join(temporary, 'pets-bundle-elsewhere-1-abc');
    for (const folder of [dead, elsewhere, old]) await mkdir(folder);
    const hoursAgo = new Date(Date.now() - 2 * 60 * 60 * 1_000);
    await utimes(old, hoursAgo, hoursAgo);
    expect(await deleteAbandonedFolders(new Date(), false)).toBe(2);
    const left = await readdir(temporary);
    const names = [own, dead, elsewhere, old].map((folder) => folder.slice(temporary.length + 1));
    expect(names.map((name) => left.includes(name))).toEqual([true, false, true, false]);
    // At the start of a process, folders in its name are those of the one before.
    await waitUntil(async () => (await folders()) === 2, { message: 'the stalled upload is over', timeoutMs: 20_000 });
    expect(await deleteAbandonedFolders(new Date(), true)).toBe(1);
    await rm(elsewhere, { recursive: true });
  });
});

describe('an upload', () => {
  it('that stops coming is answered 408, and its files are gone', async () => {
    expect(await stalled.upload.answer).toMatchObject({ status: 408, body: { code: 'timeout' } });
    await waitUntil(async () => (await folders()) === 0, { message: 'its folder is gone' });
    await untilOpen(stalled.uploader, 0);
  });
});
