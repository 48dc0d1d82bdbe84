import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Explanation, Hop } from '@pets/contracts';
import type { SharedTestStack } from '@pets/lab';
import { waitUntil } from '@pets/testing';
import { openPetsStack, type PetsStack } from './pets-stack.js';
import type { Pets } from './run-pets.js';

jest.setTimeout(120_000);

let started: PetsStack | undefined;
let stack: SharedTestStack;
let pets: Pets;
/** The host of the project below the platform domain. */
let host: string;

const files = {
  'index.html': 'Home',
  'about.html': 'About',
  'docs/index.html': 'Docs',
  '404.html': 'Lost?',
  _redirects:
    '/old /about\n/moved/* /docs/:splat 302\n/out https://other.example/\n/app/* /docs/ 200\n/ring/* /ring/ 301!\n',
};

beforeAll(async () => {
  const opened = await openPetsStack();
  started = opened;
  ({ stack, pets } = opened);
  const site = join(opened.folder, 'site');
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(site, path, '..'), { recursive: true });
    await writeFile(join(site, path), content);
  }
  const { outcome } = await pets.json(['deploy', site]);
  expect(outcome).toMatchObject({ status: 'done' });
  host = new URL((await pets.run(['open'])).stdout.trim()).hostname;
  await waitUntil(async () => (await visit(`https://${host}/about`)).status === 200, { message: 'the new deployment' });
});
afterAll(() => started?.stop());

/** Status and location that the edge answers. */
async function visit(url: string): Promise<Pick<Hop, 'status' | 'location'>> {
  const { port } = new URL(stack.dev.edgeHttpsUrl);
  const { pathname, search } = new URL(url);
  const asked = request({
    ...{ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false, agent: false },
    ...{ path: pathname + search, headers: { host } },
  });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage]; // as Node documents it
  response.resume();
  return { status: response.statusCode ?? 0, location: response.headers.location ?? null };
}

async function explain(path: string) {
  const { code, outcome } = await pets.json(['redirects', 'test', `https://${host}${path}`]);
  return { code, outcome, explanation: outcome.result as Explanation };
}

describe('pets redirects test', () => {
  it.each([
    '/',
    '/about',
    '/about/?a=b',
    '/docs',
    '/docs/index.html?x',
    '/old?a=b',
    '/moved/',
    '/out',
    '/app/any/where',
    '/nowhere',
    '/a%20b/',
    '/a//b',
    '/_redirects',
    '/ring/x',
  ])('says what the edge answers at %s, redirect by redirect', async (path) => {
    const { explanation } = await explain(path);
    expect(explanation.hops.length).toBeGreaterThan(0);
    for (const { url, status, location } of explanation.hops)
      expect({ url, ...(await visit(url)) }).toEqual({ url, status, location });
  });

  it('names the rule, the file and the end', async () => {
    expect((await explain('/old')).explanation).toMatchObject({
      hops: [
        { status: 301, reason: 'rule', rule: { line: 1, from: '/old', to: '/about' } },
        { status: 200, reason: 'file', file: 'about.html' },
      ],
      end: 'answer',
    });
    expect(await explain('/nowhere')).toMatchObject({ code: 4, outcome: { reason: 'not_found_page' } });
    expect(await explain('/out')).toMatchObject({ code: 0, outcome: { reason: 'other_host' } });
    const { stdout } = await pets.run(['redirects', 'test', `https://${host}/docs`]);
    expect(stdout).toMatch(/^308 https:\/\/\S+\/docs\n {2}the page has this address\n {2}→ https:\/\/\S+\/docs\/$/m);
    expect(stdout).toMatch(/^200 https:\/\/\S+\/docs\/\n {2}a file at this address\n {2}→ docs\/index\.html$/m);
  });

  it('begins with plain HTTP, and refuses hosts of others', async () => {
    const plain = await pets.json(['redirects', 'test', `http://${host}/about`]);
    expect(plain.outcome.result).toMatchObject({ hops: [{ status: 308, reason: 'https' }, { status: 200 }] });
    const other = await pets.json(['redirects', 'test', 'https://other.example/']);
    expect(other).toMatchObject({ code: 4, outcome: { reason: 'not_found' } });
    const none = await pets.json(['redirects', 'test', 'ftp://other.example/']);
    expect(none).toMatchObject({ code: 2, outcome: { reason: 'invalid_parameter' } });
  });
});
