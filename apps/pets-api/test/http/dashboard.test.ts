import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../harness.js';

/** How the built dashboard is served. What it is is tested in its own project. */

const PAGE = '<!doctype html><title>Pets</title>';
const SETUP_PAGE = '<!doctype html><title>Set up your domain</title>';
const SCRIPT = 'export {};';

let folder: string;
let api: TestApi;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-dashboard-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), PAGE);
  await writeFile(join(folder, 'setup.html'), SETUP_PAGE);
  await writeFile(join(folder, 'assets/main-1a2b.js'), SCRIPT);
  await writeFile(join(folder, 'assets/main-1a2b.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(join(folder, 'assets/main-1a2b.js.gz'), gzipSync(SCRIPT));
  api = await startTestApi({ DASHBOARD_FOLDER: folder });
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(api.url + path, { headers });

describe('the page', () => {
  it.each(['/dashboard', '/dashboard/', '/dashboard/projects/1/settings/domains?x=1'])('is at %s', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toEqual(PAGE);
  });

  it('loads from its own origin only, without inline scripts', async () => {
    const { headers } = await get('/dashboard');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(Object.fromEntries(headers)).toMatchObject({
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is not for the paths of the API', async () => {
    const response = await get('/v1/dashboard');
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });
});

describe('the page of set-up links', () => {
  it('has the strictest policy, and is in no search engine', async () => {
    const response = await get('/setup');
    expect(await response.text()).toBe(SETUP_PAGE);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-security-policy':
        "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self'; style-src 'self'; " +
        "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
      'cache-control': 'no-cache',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex',
    });
    expect(response.headers.get('set-cookie')).toBeNull();
  });
});

describe('a file of the page', () => {
  it.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('comes for accept-encoding: %s as %s, and is kept for ever', async (accepted, coding) => {
    const response = await get('/dashboard/assets/main-1a2b.js', { 'accept-encoding': accepted });
    expect(await response.text()).toBe(SCRIPT);
    expect(response.headers.get('content-encoding')).toBe(coding);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
  });

  it.each(['none.js', 'main-1a2b.js.br', '..%2findex.html', '..%2f..%2fpackage.json', 'a/b.js', '__proto__'])(
    'is not %s',
    async (name) => {
      const response = await get(`/dashboard/assets/${name}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: 'not_found' });
    },
  );
});

it('answers HEAD as GET, without a body', async () => {
  const response = await fetch(`${api.url}/dashboard`, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-length')).toEqual(String(PAGE.length));
  expect(await response.text()).toBe('');
});

it('the API works without a dashboard build', async () => {
  const replica = await api.startReplica({ DASHBOARD_FOLDER: join(folder, 'nothing') });
  const answer = await replica.request('GET', '/dashboard');
  expect(answer.status).toBe(404);
  expect(answer.body.code).toBe('not_found');
  expect((await replica.request('GET', '/livez')).status).toBe(200);
});
