import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uploadLimits, type ApiError, type Deployment, type DeploymentWithEdges } from '@pets/contracts';
import { sql } from 'kysely';
import fc from 'fast-check';
import { bundleOf, makeBundle, manifestOf, type Files } from './bundles.js';
import { CollectionFixture, type Publisher } from './collection-fixture.js';
import { pick, UploadFixture } from './upload-fixture.js';

let fixture: CollectionFixture;
let uploads: UploadFixture;

beforeAll(async () => {
  fixture = await CollectionFixture.start();
  uploads = new UploadFixture(fixture, fixture.api);
});
afterAll(() => fixture.close());

const fresh = () => randomUUID();
const KEY = '-----BEGIN PRIVATE KEY-----\nx';

/** A publisher with one deployment. */
async function publisherOf(files: Files): Promise<Publisher> {
  const publisher = await fixture.publisher('enterprise');
  await archive(publisher, files);
  return publisher;
}

async function archive({ key, path }: Pick<Publisher, 'key' | 'path'>, files: Files, query = ''): Promise<Deployment> {
  const headers = { 'content-type': 'application/gzip' };
  const answer = await fixture.api.request<Deployment>('POST', path + query, { key, body: bundleOf(files), headers });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body;
}

/** The newest deployment of a project, and its stored objects. */
const newest = async ({ projectId }: Pick<Publisher, 'projectId'>) => {
  const { rows } = await sql<object>`
    select content_hash, files_hash, files, bytes::int,
      (select array_agg(o.key || ' ' || o.bytes order by o.key) from bundles b
        join stored_objects o on o.id = any(b.object_ids) where b.id = bundle_id) as objects
    from deployments where project_id = ${projectId} order by number desc limit 1`.execute(fixture.api.db);
  return rows[0];
};

describe('an upload', () => {
  it('sends only what the project lacks, and is served', async () => {
    const [home, app] = [fresh(), fresh()];
    const publisher = await publisherOf({ 'index.html': home, 'app.js': app });
    const files = { 'index.html': home, 'app.js': 'new', 'about.html': 'new', 'empty.txt': '' };
    const opened = await uploads.open(publisher, files, { query: '?message=Second&branch=main&commit=4f1c2d9' });
    expect(opened.status).toBe(201);
    expect(opened.body.lacking).toEqual(['about.html', 'empty.txt']);
    expect(Date.parse(opened.body.expiresAt)).toBeGreaterThan(Date.now() + 3_000_000);
    const incomplete = await uploads.complete<ApiError>(publisher, opened.body.id);
    expect(incomplete.body).toMatchObject({
      code: 'upload_incomplete',
      message: '2 files are lacking: about.html, empty.txt.',
    });
    const sent = await uploads.send(publisher, opened.body.id, { 'empty.txt': '' });
    expect(sent.body).toEqual({ ...opened.body, lacking: ['about.html'] });
    // The content is the same at both paths.
    expect((await uploads.send(publisher, opened.body.id, { 'app.js': 'new' })).body.lacking).toEqual([]);
    const { body: deployment, status } = await uploads.complete(publisher, opened.body.id);
    expect(status).toBe(201);
    expect(deployment).toMatchObject({ active: true, files: 4, message: 'Second', ignored: { count: 0 } });
    expect(deployment.source).toEqual({ branch: 'main', commit: '4f1c2d9', url: null });
    expect((await fixture.list(publisher)).map(({ active }) => active)).toEqual([true, false]);
  });

  it('can be completed and sent again without another deployment', async () => {
    const publisher = await fixture.publisher();
    const files = { 'index.html': fresh() };
    const { id } = (await uploads.open(publisher, files)).body;
    await uploads.send(publisher, id, files);
    expect((await uploads.send(publisher, id, files)).body.lacking).toEqual([]);
    const both = await Promise.all([uploads.complete(publisher, id), uploads.complete(publisher, id)]);
    const again = await uploads.complete(publisher, id);
    expect([...both, again].map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(new Set([...both, again].map(({ body }) => body.id)).size).toBe(1);
    expect(await fixture.list(publisher)).toHaveLength(1);
    expect((await uploads.send<ApiError>(publisher, id, files)).body.code).toBe('conflict');
  });

  it('is served on a channel', async () => {
    const publisher = await publisherOf({ 'index.html': 'x' });
    const { id } = (await uploads.open(publisher, { 'index.html': 'x' }, { query: '?channel=pr-12' })).body;
    const { body: deployment } = await uploads.complete(publisher, id);
    expect(deployment).toMatchObject({ active: false, channels: ['pr-12'] });
    const path = `${publisher.path}/${deployment.id}`;
    const { body } = await fixture.api.request<DeploymentWithEdges>('GET', path, { key: publisher.key });
    expect(body).toMatchObject({ channels: ['pr-12'], servedEverywhere: true });
  });

  it('belongs to its project, and ends', async () => {
    const [publisher, other] = [await fixture.publisher(), await fixture.publisher()];
    const files = { 'index.html': fresh() };
    const { id } = (await uploads.open(publisher, files)).body;
    const foreign = [{ ...publisher, key: other.key }, other];
    for (const uploader of foreign) {
      expect((await uploads.send<ApiError>(uploader, id, files)).body.code).toBe('not_found');
      expect((await uploads.complete<ApiError>(uploader, id)).body.code).toBe('not_found');
    }
    await sql`update deployment_uploads set expires_at = now() - interval '1 second' where id = ${id}`.execute(
      fixture.api.db,
    );
    expect((await uploads.send<ApiError>(publisher, id, files)).body.code).toBe('not_found');
    expect((await uploads.complete<ApiError>(publisher, id)).body.code).toBe('not_found');
  });

  it('ends the oldest of a project that has too many', async () => {
    const publisher = await publisherOf({ 'index.html': 'x' });
    const ids: string[] = [];
    for (let nth = 0; nth <= uploadLimits.openOfProject; nth++)
      ids.push((await uploads.open(publisher, { 'index.html': 'x' })).body.id);
    const statuses: number[] = [];
    for (const id of ids) statuses.push((await uploads.complete(publisher, id)).status);
    expect(statuses).toEqual(ids.map((_, nth) => (nth === 0 ? 404 : 201)));
  });
});

describe('the result', () => {
  const name = fc.constantFrom('index', 'about', 'app-BkX1o2aQ', 'hero.3f2a9c1b', '404', 'caf\u00e9');
  const folder = fc.constantFrom('', 'assets/', 'docs/deep/');
  const type = fc.constantFrom('.html', '.js', '.png', '');
  const path = fc.tuple(folder, name, type).map((parts) => parts.join(''));
  const content = fc.oneof(fc.constantFrom('', 'same', 'other'), fc.string({ maxLength: 3_000 }));
  const rules: fc.Arbitrary<Files> = fc.record(
    {
      _redirects: fc.constantFrom('', '/old /new 301\n', '/a/* /about 302\n'),
      _headers: fc.constantFrom('/*\n  X-A: 1\n', ''),
    },
    { requiredKeys: [] },
  );
  const siteOf = fc
    .tuple(fc.dictionary(path, content, { minKeys: 1, maxKeys: 12 }), rules)
    .map(([files, more]): Files => ({ ...files, ...more }))
    .filter((files) => !Object.keys(files).some((each) => Object.keys(files).some((it) => it.startsWith(`${each}/`))));

  it('is that of an archive of all files, whatever was deployed before and however it is sent', async () => {
    const byArchive = await fixture.publisher('enterprise');
    const byUpload = { ...byArchive, ...(await fixture.addProject(byArchive.key)) };
    await fc.assert(
      fc.asyncProperty(siteOf, siteOf, fc.integer({ min: 1, max: 3 }), async (before, changes, parts) => {
        const files = { ...before, ...changes };
        await archive(byArchive, before);
        await archive(byUpload, before);
        await archive(byArchive, files);
        const { lacking } = await uploads.deploy(byUpload, files, (each) => each.length % parts);
        expect(await newest(byUpload)).toEqual(await newest(byArchive));
        const contents = new Set(Object.entries(before).flatMap(([at, kept]) => (at.startsWith('_') ? [] : [kept])));
        expect(lacking.filter((each) => contents.has(files[each] ?? '') && !each.startsWith('_'))).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

describe('what others have', () => {
  it('is lacking, and counts as if nobody had it', async () => {
    const known = randomBytes(50_000);
    const owner = await publisherOf({ 'index.html': known });
    const storedBytes = async ({ organizationId }: Publisher) => {
      const { rows } = await sql<{ bytes: bigint }>`
        select bytes from organization_storage where organization_id = ${organizationId}`.execute(fixture.api.db);
      return Number(rows[0]?.bytes ?? 0n);
    };
    const sizes: number[][] = [];
    for (const content of [known, randomBytes(50_000)]) {
      const stranger = await fixture.publisher();
      const { id, lacking } = (await uploads.open(stranger, { 'index.html': content })).body;
      expect(lacking).toEqual(['index.html']);
      const after = [await storedBytes(stranger)];
      expect((await uploads.complete<ApiError>(stranger, id)).body.code).toBe('upload_incomplete');
      await uploads.send(stranger, id, { 'index.html': content });
      after.push(await storedBytes(stranger));
      await uploads.complete(stranger, id);
      sizes.push([...after, await storedBytes(stranger)]);
    }
    // But for how well the hash in the manifest compresses.
    for (const [nth, bytes] of (sizes[0] ?? []).entries())
      expect(Math.abs(bytes - (sizes[1]?.[nth] ?? 0))).toBeLessThan(20);
    const { path, projectId } = await fixture.addProject(owner.key);
    const sibling = { ...owner, path, projectId };
    expect((await uploads.open(sibling, { 'index.html': known })).body.lacking).toEqual(['index.html']);
  });
});

describe('a manifest', () => {
  const line = (file: object) => `${JSON.stringify(file)}\n`;
  const sha256 = 'a'.repeat(64);

  it('may be compressed', async () => {
    const publisher = await fixture.publisher();
    const headers = { 'content-encoding': 'gzip' };
    const opened = await uploads.open(publisher, gzipSync(manifestOf({ 'index.html': 'x' })), { headers });
    expect(opened.body.lacking).toEqual(['index.html']);
    const bomb = await uploads.open<ApiError>(publisher, gzipSync(Buffer.alloc(8_000_000, ' ')), { headers });
    expect(bomb.body.code).toBe('payload_too_large');
    expect((await uploads.open<ApiError>(publisher, 'x', { headers })).body).toMatchObject({
      code: 'invalid_bundle',
      message: 'The manifest is not compressed with gzip as a whole.',
    });
    const other = await uploads.open<ApiError>(publisher, 'x', { headers: { 'content-encoding': 'br' } });
    expect(other.body.code).toBe('unsupported_media_type');
  });

  it.each<[string, string | Buffer, RegExp]>([
    ['of nothing', '\n \n', /contains no files/],
    ['that is no JSON', '{\n', /^Line 1 of the manifest is not valid JSON\.$/],
    ['with another field', line({ path: 'a', sha256, bytes: 1, x: 1 }), /^Line 1 .* is not a file: .*x/],
    [
      'with a short hash',
      `\n${line({ path: 'a', sha256: 'ab', bytes: 1 })}`,
      /^Line 2 .* is not a file: sha256: must be a SHA-256 /,
    ],
    ['with a fraction of a byte', line({ path: 'a', sha256, bytes: 1.5 }), /bytes/],
    ['with an unsafe path', line({ path: '../a', sha256, bytes: 1 }), /"\.\.\/a" is not allowed/],
    ['with half a character', '{"path":"\\ud800","sha256":"' + sha256 + '","bytes":1}', /is not allowed/],
    ['with a path twice', line({ path: 'a', sha256, bytes: 1 }).repeat(2), /contains a twice/],
    [
      'with a path twice in other forms',
      line({ path: 'caf\u00e9', sha256, bytes: 1 }) + line({ path: './cafe\u0301', sha256, bytes: 1 }),
      /twice/,
    ],
    [
      'with a file that is a folder',
      line({ path: 'a', sha256, bytes: 1 }) + line({ path: 'a/b', sha256, bytes: 1 }),
      /a as a file and as a folder/,
    ],
    [
      'with two sizes of a content',
      line({ path: 'a', sha256, bytes: 1 }) + line({ path: 'b', sha256, bytes: 2 }),
      /^b has the SHA-256 of a file with another number of bytes/,
    ],
    ['with a secret', line({ path: 'api/.env', sha256, bytes: 1 }), /^api\/\.env usually contains passwords .*--allow/],
    ['with rules that are too large', line({ path: '_redirects', sha256, bytes: 9_000_000 }), /^_redirects is larger/],
    ['with a folder of rules', line({ path: '_headers/a', sha256, bytes: 1 }), /^_headers is a folder/],
    ['in another charset', Buffer.from([0xff, 0xfe]), /not text in UTF-8/],
    ['with a line that is too long', `{"path":"${'x'.repeat(5_000)}"}`, /more than 4096 characters/],
    ['with more files than a bundle has', manifestOf(many(10_001)), /more than 10000 files/],
    ['with more lines than that', '\n'.repeat(40_000), /more than 30000 lines/],
  ])('%s is refused', async (_what, body, message) => {
    const refused = await uploads.open<ApiError>(await fixture.publisher(), body);
    expect(refused.body.message).toMatch(message);
    expect(refused.body.code).toBe('invalid_bundle');
  });

  it('with more bytes than a bundle is refused', async () => {
    const body =
      line({ path: 'a', sha256, bytes: 200_000_000 }) + line({ path: 'b', sha256: 'b'.repeat(64), bytes: 1e8 });
    expect((await uploads.open<ApiError>(await fixture.publisher(), body)).body.code).toBe('payload_too_large');
  });

  it('leaves out what operating systems add', async () => {
    const publisher = await fixture.publisher();
    const files = { 'index.html': 'x', '._index.html': 'x', '.DS_Store': 'x', '._alone': 'y' };
    const { body } = await uploads.open(publisher, files);
    expect(body).toMatchObject({ lacking: ['._alone', 'index.html'], ignored: { count: 2 } });
    expect((await uploads.send(publisher, body.id, files)).body.lacking).toEqual([]);
    const { body: deployment } = await uploads.complete(publisher, body.id);
    expect(deployment).toMatchObject({ files: 2, ignored: { count: 2, paths: ['.DS_Store', '._index.html'] } });
  });

  it('cannot say another size of what the project has', async () => {
    const publisher = await publisherOf({ 'index.html': 'known' });
    const lie = manifestOf({ 'other.html': 'known' }).replace('"bytes":5', '"bytes":4');
    expect((await uploads.open<ApiError>(publisher, lie)).body).toMatchObject({
      code: 'invalid_bundle',
      message: 'other.html has 4 bytes in the manifest, and 5 by its SHA-256.',
    });
  });
});

function many(count: number): Files {
  return Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${nth}`, ''] as const));
}

describe('files that are sent', () => {
  const files = { 'index.html': 'home', 'app.js': 'app' };

  it.each<[string, Files, string, RegExp]>([
    ['not in the manifest', { ...files, 'b.html': 'b' }, '', /^b\.html is not in the manifest/],
    ['attributes of a file that is not sent', { '._index.html': 'x' }, '', /^\._index\.html is not in the manifest/],
    ['of another size', { ...files, 'app.js': 'apps' }, '', /^app\.js has 4 bytes, and 3 in the manifest/],
    ['of another content', { ...files, 'app.js': 'apq' }, '', /^app\.js has another SHA-256/],
    ['of a size that the manifest does not have', files, '"bytes":9', /^app\.js has 3 bytes, and 9 in the manifest/],
  ])('%s are refused, and nothing of them counts', async (_what, sent, lie, message) => {
    const publisher = await fixture.publisher();
    const manifest = manifestOf(files);
    const { id } = (await uploads.open(publisher, lie === '' ? manifest : manifest.replace('"bytes":3', lie))).body;
    expect((await uploads.send<ApiError>(publisher, id, sent)).body).toMatchObject({
      code: 'invalid_bundle',
      message: expect.stringMatching(message),
    });
    expect((await uploads.complete<ApiError>(publisher, id)).body.message).toMatch(/^2 files are lacking/);
  });

  it('are what the table of stored files says', async () => {
    const { rows } = await sql<{ key: string; bytes: bigint }>`
      select key, bytes from stored_objects where key like 'contents/%'`.execute(fixture.api.db);
    const wrong: string[] = [];
    for (const { key, bytes } of rows) if ((await fixture.storage.find(key)) !== Number(bytes)) wrong.push(key);
    expect(wrong).toEqual([]);
  });

  it('are refused with rules that cannot be applied, at once', async () => {
    const publisher = await fixture.publisher();
    const bad = { 'index.html': fresh(), _redirects: '/a /b 200 300 400\nx\n', _headers: '/*\n  X-A: 1\n' };
    const { id } = (await uploads.open(publisher, bad)).body;
    expect((await uploads.send(publisher, id, pick(bad, ['index.html', '_headers']))).body.lacking).toEqual([
      '_redirects',
    ]);
    const refused = await uploads.send<ApiError>(publisher, id, pick(bad, ['_redirects']));
    expect(refused.body).toMatchObject({
      code: 'invalid_bundle',
      message: expect.stringContaining('_redirects, line 2'),
    });
    expect((await uploads.complete<ApiError>(publisher, id)).body.message).toBe('1 file is lacking: _redirects.');
  });

  it('are not needed for rules that the project has as another file', async () => {
    const text = `/${fresh()} / 307\n`;
    const publisher = await publisherOf({ 'index.html': 'x', 'copy.txt': text });
    const { lacking } = await uploads.deploy(publisher, { 'index.html': 'x', _redirects: text });
    expect(lacking).toEqual([]);
    const broken = await publisherOf({ 'index.html': 'x', 'copy.txt': 'x\n' });
    const { id } = (await uploads.open(broken, { 'index.html': 'x', _redirects: 'x\n' })).body;
    expect((await uploads.complete<ApiError>(broken, id)).body).toMatchObject({
      code: 'invalid_bundle',
      message: expect.stringContaining('_redirects, line 1'),
    });
  });

  it('are refused with a private key, unless it is allowed at each of its paths', async () => {
    const publisher = await fixture.publisher();
    const secret = { 'index.html': 'x', 'server.key': KEY, 'copy.txt': KEY };
    const query = '?allow=server.key';
    const { id, lacking } = (await uploads.open(publisher, secret, { query })).body;
    expect(lacking).toHaveLength(2);
    const refused = await uploads.send<ApiError>(publisher, id, pick(secret, ['index.html', 'server.key']));
    expect(refused.body.message).toMatch(/^copy\.txt contains a private key/);
    const allowed = pick(secret, ['index.html', 'server.key']);
    const again = (await uploads.open(publisher, allowed, { query })).body;
    await uploads.send(publisher, again.id, allowed);
    expect((await uploads.complete(publisher, again.id)).status).toBe(201);
    // Another deployment has to allow it again.
    const third = (await uploads.open(publisher, { 'a.txt': KEY })).body;
    expect(third.lacking).toEqual(['a.txt']);
    expect((await uploads.send<ApiError>(publisher, third.id, { 'a.txt': KEY })).body.message).toMatch(
      /^a\.txt contains a/,
    );
  });

  it('have to be some', async () => {
    const publisher = await fixture.publisher();
    const { id } = (await uploads.open(publisher, files)).body;
    const headers = { 'content-type': 'application/gzip' };
    const path = `/v1/projects/${publisher.projectId}/uploads/${id}/files`;
    const refused = await fixture.api.request('POST', path, { key: publisher.key, body: makeBundle([]), headers });
    expect(refused.body.code).toBe('invalid_bundle');
  });
});
