import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, Deployment, Project } from '@pets/contracts';
import { runAdminCommand } from '../../src/operations/admin/admin-commands.js';
import { uploadProgress } from '../../src/http/require-progress.js';
import { unpackBundle } from '../../src/projects/deployments/unpack-bundle.js';
import { makeBundle, site, type BundleEntry } from './bundles.js';
import { startTestApi, type TestApi } from '../harness.js';

let api: TestApi;
let key: string;
let otherKey: string;
let projectId: string;

beforeAll(async () => {
  api = await startTestApi({ RESERVED_NAMES: 'Brand', STAGING_URL: 'https://console-x.pets.localhost' });
  ({ key } = await api.createOrganization('pro'));
  ({ key: otherKey } = await api.createOrganization('pro'));
  projectId = (await api.request<Project>('POST', '/v1/projects', { key, body: { name: 'Docs', slug: 'docs-x' } })).body
    .id;
});
afterAll(() => api.close());

const upload = <Body = ApiError>(bundle: Uint8Array) =>
  api.request<Body>('POST', `/v1/projects/${projectId}/deployments`, {
    key,
    body: bundle,
    headers: { 'content-type': 'application/gzip' },
  });

describe('projects', () => {
  it('say where the platform serves them', async () => {
    const { body } = await api.request('GET', `/v1/projects/${projectId}`, { key });
    expect(body).toMatchObject({ name: 'Docs', slug: 'docs-x', url: 'https://docs-x.pets.localhost' });
  });

  it.each(['Api', 'a_b', '-a', 'a.b', '', 'x'.repeat(64)])('cannot have the slug %j', async (slug) => {
    expect((await api.request('POST', '/v1/projects', { key, body: { name: 'X', slug } })).status).toBe(400);
  });

  it.each([
    ...['login', 'auth', 'accounts', 'mta-sts', 'wpad', 'autodiscover', 'autoconfig', 'ns1', 'smtp', 'admin', 'api'],
    ...['status', 'www', 'cname', 'acme', 'postmaster', 'mtasts', 'ns-2', 'brand', 'brand7', 'console-x'],
  ])('cannot have %s, which the platform keeps for itself', async (slug) => {
    const refused = await api.request('POST', '/v1/projects', { key, body: { name: 'X', slug } });
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('name_reserved');
    expect(refused.body.message).toContain(`"${slug}-site"`);
    expect((await api.request('POST', '/v1/projects', { key, body: { name: 'X', slug: `${slug}-site` } })).status).toBe(
      201,
    );
  });

  it('keep a slug that became reserved, and are listed for the operator', async () => {
    const { id: organizationId } = (await api.request<{ id: string }>('GET', '/v1/organization', { key })).body;
    const { id } = await api.db
      .insertInto('projects')
      .values({ organization_id: organizationId, name: 'Old', slug: 'mta-sts' })
      .returning('id')
      .executeTakeFirstOrThrow();
    const changed = await api.request<Project>('PATCH', `/v1/projects/${id}`, { key, body: { name: 'Older' } });
    expect(changed.status).toBe(200);
    expect(changed.body.slug).toBe('mta-sts');
    const settings = { ENVIRONMENT: 'development', PLATFORM_DOMAIN: 'pets.localhost' } as const;
    const listed = await runAdminCommand(['names', 'reserved'], api.db, { ...settings, RESERVED_NAMES: ['docs-x'] });
    expect(listed).toMatchObject({
      extraNames: ['docs-x'],
      projects: [
        { id: projectId, organizationId, slug: 'docs-x', reservedAs: 'Reserved by the operator' },
        { id, organizationId, slug: 'mta-sts', reservedAs: 'Looked up automatically' },
      ],
    });
  });

  it.each(['', ' ', 'a\0b', 'x'.repeat(101)])('cannot have the name %j', async (name) => {
    expect((await api.request('POST', '/v1/projects', { key, body: { name, slug: 'fine' } })).status).toBe(400);
  });

  it('cannot share a slug, even between organizations', async () => {
    const taken = await api.request('POST', '/v1/projects', { key: otherKey, body: { name: 'X', slug: 'docs-x' } });
    expect(taken.status).toBe(409);
    expect(taken.body.code).toBe('already_exists');
  });

  it('of another organization answer exactly as missing ones', async () => {
    const foreign = await api.request('GET', `/v1/projects/${projectId}`, { key: otherKey });
    const missing = await api.request('GET', '/v1/projects/00000000-0000-4000-8000-000000000000', { key: otherKey });
    expect(foreign.status).toBe(missing.status);
    expect(foreign.text).toBe(missing.text);
  });
});

describe('deployments', () => {
  it('are ready when the upload answers, known by their content', async () => {
    const first = await upload<Deployment>(site);
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ state: 'ready', files: 2, bytes: 27 });
    const again = await upload<Deployment>(site);
    expect(again.body.contentHash).toBe(first.body.contentHash);
    expect(again.body.id).not.toBe(first.body.id);
  });

  it('may be far larger than a JSON body', async () => {
    const large = makeBundle([{ path: 'large.bin', content: randomBytes(2_000_000).toString('base64') }]);
    expect((await upload<Deployment>(large)).status).toBe(201);
  });

  it.each<[string, BundleEntry[]]>([
    ['climbs out', [{ path: '../evil.html', content: 'x' }]],
    ['climbs out later', [{ path: 'a/../../evil.html', content: 'x' }]],
    ['is absolute', [{ path: '/etc/evil', content: 'x' }]],
    ['has a backslash', [{ path: 'a\\..\\b', content: 'x' }]],
    ['is a symbolic link', [{ path: 'a', type: 'SymbolicLink', linkpath: '/etc/passwd' }]],
    [
      'is a hard link',
      [
        { path: 'a', content: '' },
        { path: 'b', type: 'Link', linkpath: 'a' },
      ],
    ],
    ['is a device', [{ path: 'a', type: 'CharacterDevice' }]],
    [
      'is there twice',
      [
        { path: 'a', content: 'x' },
        { path: './a', content: 'y' },
      ],
    ],
    [
      'is a file and a folder',
      [
        { path: 'a', content: 'x' },
        { path: 'a/b', content: 'y' },
      ],
    ],
  ])('refuse a bundle with an entry that %s', async (_name, entries) => {
    const refused = await upload(makeBundle(entries));
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('invalid_bundle');
  });

  it.each<[string, Uint8Array]>([
    ['not gzip', Buffer.from('plain text')],
    ['empty', new Uint8Array()],
    ['without files', makeBundle([{ path: 'folder/', type: 'Directory' }])],
    [
      'cut off inside a large file',
      makeBundle([{ path: 'a', content: randomBytes(300_000).toString('base64') }]).subarray(0, 200_000),
    ],
    ['cut off', site.subarray(0, site.length - 40)],
  ])('refuse a bundle that is %s', async (_name, bundle) => {
    const refused = await upload(bundle);
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('invalid_bundle');
  });

  it('have no file written any more once a bundle that breaks off is refused', async () => {
    const whole = makeBundle(Array.from({ length: 10 }, (_, nth) => ({ path: `${nth}.html`, content: 'x' })));
    for (let nth = 0; nth < 100; nth++) {
      const folder = await mkdtemp(join(tmpdir(), 'pets-api-test-'));
      const limits = { progress: uploadProgress, space: { addBytes: () => undefined } };
      const broken = Readable.from([whole.subarray(0, whole.length - 20)]);
      await expect(unpackBundle(broken, folder, limits)).rejects.toMatchObject({ code: 'invalid_bundle' });
      // Fails where a file comes in meanwhile.
      await rm(folder, { recursive: true });
    }
  });

  it('leave the newest good one served when an upload is refused', async () => {
    const before = (await api.request('GET', `/v1/projects/${projectId}/deployments`, { key })).body;
    await upload(Buffer.from('broken'));
    expect((await api.request('GET', `/v1/projects/${projectId}/deployments`, { key })).body).toEqual(before);
  });
});
