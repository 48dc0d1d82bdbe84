import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setupLogoLimits, type SetupLogo, type SetupPage } from '@pets/contracts';
import { plainPng, pngChunk, pngOf, webps } from '@pets/testing';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { setupSteps } from './setup-steps.js';

let fixture: DomainFixture;
let owner: Tenant;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  owner = await fixture.tenant();
});
afterAll(() => fixture.close());

const PATH = '/v1/setup-page/logo';
const put = (body: Uint8Array, { type = 'image/png', key = owner.key } = {}) =>
  fixture.api.request<SetupLogo>('PUT', PATH, { key, body, headers: { 'content-type': type } });
const shownTo = async (key: string) => (await fixture.api.request<SetupPage>('GET', '/v1/setup-page', { key })).body;
const fetchLogo = ({ url }: SetupLogo, headers = {}) => fetch(fixture.api.url + new URL(url).pathname, { headers });
const bytesOf = async (logo: SetupLogo) => Buffer.from(await (await fetchLogo(logo)).arrayBuffer());

describe('the logo of set-up pages', () => {
  it('is shown by the page, at an address of its content', async () => {
    const { status, body } = await put(plainPng(320, 80, [26, 95, 180]));
    expect(status).toBe(200);
    expect(body).toMatchObject({ width: 320, height: 80 });
    expect(new URL(body.url).pathname).toMatch(/^\/setup\/logos\/[0-9a-f]{64}\.webp$/);
    expect((await shownTo(owner.key)).logo).toEqual(body);
    const steps = setupSteps(fixture, owner);
    const token = await steps.open(await owner.add(fixture.freshName()));
    expect((await steps.ask('GET', '/v1/setup', token)).body.logo).toEqual(body);
  });

  it('is sent so that a browser does nothing but show it', async () => {
    const response = await fetchLogo((await put(webps.lossless, { type: 'image/webp' })).body);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/webp',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(response.headers.get('set-cookie')).toBeNull();
  });

  it.each<[string, Uint8Array]>([
    ['grey', pngOf({ colors: 0, lines: Buffer.from([0, 200]) })],
    ['of 16 bits', pngOf({ colors: 2, depth: 16, lines: Buffer.from([0, 255, 0, 128, 0, 0, 0]) })],
    [
      'with a palette',
      pngOf({
        colors: 3,
        depth: 1,
        lines: Buffer.from([0, 0]),
        chunks: [pngChunk('PLTE', Buffer.from([1, 2, 3, 4, 5, 6]))],
      }),
    ],
    [
      'interlaced',
      pngOf({ width: 2, height: 2, colors: 0, isInterlaced: true, lines: Buffer.from([0, 1, 0, 2, 0, 3, 4]) }),
    ],
    ['a lossy WebP', webps.lossy],
    ['a WebP with alpha', webps.withAlpha],
  ])('may be %s', async (_case, file) => {
    const { status, body } = await put(file);
    expect(status).toBe(200);
    expect((await bytesOf(body)).toString('latin1')).toMatch(/^RIFF[^]{4}WEBP/);
  });

  it('has nothing of the file that was sent but its pixels', async () => {
    const marker = `<script>${randomBytes(8).toString('hex')}</script>`;
    const chunks = ['tEXt', 'eXIf', 'IDOT'].map((type) => pngChunk(type, Buffer.from(`x\0${marker}`)));
    const file = Buffer.concat([pngOf({ lines: Buffer.from([0, 1, 2, 3, 255]), chunks }), Buffer.from(marker)]);
    const plain = await put(pngOf({ lines: Buffer.from([0, 1, 2, 3, 255]) }));
    const written = await put(file);
    expect(written.body.url).toBe(plain.body.url);
    expect((await bytesOf(written.body)).toString('latin1')).not.toContain(marker);
  });

  it.each<[string, Uint8Array, string]>([
    ['an SVG', Buffer.from('<svg onload="alert(1)"/>'), 'The file is an SVG.'],
    ['a bomb', pngOf({ width: 60_000, height: 60_000, lines: Buffer.alloc(10) }), '60000 × 60000'],
    ['a PNG with too few pixels', pngOf({ width: 200, height: 200, lines: Buffer.alloc(10) }), 'damaged'],
    ['a PNG without its palette', pngOf({ colors: 3, lines: Buffer.from([0, 0]) }), 'damaged'],
    ['a WebP with noise for pixels', noisyWebp(), 'damaged'],
    ['nothing', Buffer.alloc(0), 'no image'],
  ])('is not %s', async (_case, file, message) => {
    const before = await shownTo(owner.key);
    const { body } = await put(file);
    expect(body).toMatchObject({ code: 'invalid_logo', status: 400, message: expect.stringContaining(message) });
    expect(await shownTo(owner.key)).toEqual(before);
  });

  it('may unpack to more bytes than its pixels need, which are not kept', async () => {
    // 60 MB of zeros in 60 KB.
    const { status } = await put(pngOf({ lines: Buffer.alloc(60_000_000) }));
    expect(status).toBe(200);
  });

  it('has a limit of bytes, also for a body without a length', async () => {
    const file = Buffer.concat([webps.lossless, Buffer.alloc(setupLogoLimits.bytes)]);
    expect((await put(file)).body).toMatchObject({ code: 'payload_too_large' });
    expect(await putInChunks(file)).toBe(413);
    expect((await put(file.subarray(0, setupLogoLimits.bytes))).status).toBe(200);
  });

  it('is written with less detail where it would be too large', async () => {
    const { status, body } = await put(photo());
    expect(status).toBe(200);
    expect((await bytesOf(body)).length).toBeLessThanOrEqual(setupLogoLimits.bytes);
  });

  it.each(['image/svg+xml', 'application/json', 'text/html'])('is refused as %s', async (type) => {
    expect((await put(webps.lossless, { type })).body).toMatchObject({ code: 'unsupported_media_type' });
  });

  it('goes when it is replaced or removed, and stays when the rest is changed', async () => {
    const { key } = await fixture.tenant();
    const [first, second] = [plainPng(8, 8, [1, 2, 3]), plainPng(8, 8, [4, 5, 6])];
    const old = (await put(first, { key })).body;
    const logo = (await put(second, { key })).body;
    expect(logo.url).not.toBe(old.url);
    expect((await fetchLogo(old)).status).toBe(404);
    const page = { name: 'Acme', color: null, supportAddress: null, returnOrigins: [] };
    const changed = await fixture.api.request<SetupPage>('PUT', '/v1/setup-page', { key, body: page });
    expect(changed.body).toEqual({ ...page, logo });
    for (const status of [204, 204]) expect((await fixture.api.request('DELETE', PATH, { key })).status).toBe(status);
    expect(await shownTo(key)).toEqual({ ...page, logo: null });
    expect((await fetchLogo(logo)).status).toBe(404);
  });

  it('of several organizations is served until the last one removes it', async () => {
    const [one, other] = [await fixture.tenant(), await fixture.tenant()];
    const file = plainPng(9, 9, [9, 9, 9]);
    const { body: logo } = await put(file, one);
    expect((await put(file, other)).body).toEqual(logo);
    await fixture.api.request('DELETE', PATH, one);
    expect((await fetchLogo(logo)).status).toBe(200);
    expect((await shownTo(other.key)).logo).toEqual(logo);
  });

  it.each(['x', `${'0'.repeat(64)}.webp`, `${'0'.repeat(63)}.webp`, `${'0'.repeat(64)}.png`, '..%2f..%2fetc%2fpasswd'])(
    'is none at %s',
    async (file) => {
      expect((await fetch(`${fixture.api.url}/setup/logos/${file}`)).status).toBe(404);
    },
  );
});

/** The header of a WebP that is right, before pixels that are not. */
function noisyWebp(): Buffer {
  const file = Buffer.from(webps.lossy);
  file.fill(0xff, 31);
  return file;
}

/** Gradients with as much noise as fits in a PNG of 64 KiB. */
function photo(): Buffer {
  const [width, height] = [150, 140];
  const noise = randomBytes(width * height * 3);
  const lines = Buffer.alloc(height * (width * 3 + 1));
  for (let y = 0; y < height; y++) noise.copy(lines, y * (width * 3 + 1) + 1, y * width * 3, (y + 1) * width * 3);
  return pngOf({ width, height, colors: 2, lines });
}

function putInChunks(file: Uint8Array): Promise<number | undefined> {
  const headers = {
    authorization: `Bearer ${owner.key}`,
    'content-type': 'image/webp',
    'transfer-encoding': 'chunked',
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(fixture.api.url + PATH, { method: 'PUT', headers }, ({ statusCode }) =>
      resolve(statusCode),
    );
    sent.on('error', reject).end(file);
  });
}
