import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Channel, CreatedChannelLink, Origin } from '@pets/contracts';
import { waitUntil } from '@pets/testing/processes';
import { deployPage } from '../supervisor/seed.js';
import type { StackAddresses } from './scenario-client.js';
import { check, type Scenario } from './scenario.js';

/** Folder of the sites and the application of the demo, beside `src` and `dist`. */
const ASSETS = resolve(import.meta.dirname, '../../assets');
const TEST_LIMIT_MS = 30_000;
const START_LIMIT_MS = 15_000;

/** A secret between the application and the platform, for this run. */
const SECRET = 'demo-secret';

/** A single-page application, looked at on a protected channel before visitors get it. */
export async function previewSite(
  { client, projectId, say }: Scenario,
  dev: Pick<StackAddresses, 'apiUrl' | 'apiKey'>,
): Promise<void> {
  const channels = `/v1/projects/${projectId}/channels`;
  const folder = resolve(ASSETS, 'one-page-app');
  await deployPage(dev.apiUrl, { apiKey: dev.apiKey, projectId }, folder, { channel: 'next', access: 'link' });
  const channel = await client.api<Channel>('GET', `${channels}/next`);
  check(channel.status === 200, 'getChannel', channel);
  const { hostname, href } = new URL(channel.body.url);
  const refused = await waitUntil(
    async () => {
      const seen = await client.visit(hostname).catch(() => null);
      return seen?.status === 401 && seen;
    },
    { message: `the edge to know ${hostname}` },
  );
  say(`   GET ${href} without a link → ${refused.status}`);
  const link = await client.api<CreatedChannelLink>('POST', `${channels}/next/links`, {});
  check(link.status === 201, 'createChannelLink', link);
  const { pathname, search } = new URL(link.body.url);
  const opened = await client.visit(hostname, { path: pathname + search });
  check(opened.status === 303 && opened.cookie !== undefined, 'the link', opened);
  say(`   GET the link → ${opened.status}, with a cookie`);
  const page = await client.visit(hostname, { path: '/orders/17', cookie: opened.cookie });
  check(page.status === 200 && page.body.includes('Acme orders'), 'the page', page);
  say(`   GET ${href}orders/17 with the cookie → ${page.status}, by 200.html`);
  const removed = await client.api('DELETE', `${channels}/next`);
  check(removed.status === 204, 'deleteChannel', removed);
  say(`   DELETE the channel → ${removed.status}: traffic has stopped`);
}

/** An application of one file answers for the project, in the place of its files. */
export async function frontApplication({ client, projectId, say }: Scenario, platformHost: string): Promise<void> {
  const application = spawn(process.execPath, [resolve(ASSETS, 'application/server.mjs'), '0'], {
    env: { PLATFORM_SECRET: SECRET },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await forward({ client, projectId, say }, platformHost, await addressOf(application));
  } finally {
    application.kill();
  }
}

async function forward(
  { client, projectId, say }: Pick<Scenario, 'client' | 'projectId' | 'say'>,
  host: string,
  url: string,
): Promise<void> {
  const path = `/v1/projects/${projectId}/origin`;
  const put = await client.api<Origin>('PUT', path, { url, headers: { 'x-platform-secret': SECRET } });
  check(put.status === 200, 'putOrigin', put);
  const tested = await waitUntil(
    async () => {
      const { body } = await client.api<Origin>('GET', path);
      return body.test.finishedAt !== null && body;
    },
    { timeoutMs: TEST_LIMIT_MS, message: 'an edge to test the application' },
  );
  check(tested.state === 'serving', 'the test', tested);
  say(`   PUT …/origin ${url}; an edge got status ${tested.test.status ?? 0} after ${tested.test.durationMs ?? 0} ms`);
  const answer = await waitUntil(
    async () => {
      const seen = await client.visit(host);
      return seen.body.startsWith('Hello') && seen;
    },
    { message: 'the edge to forward' },
  );
  say(`   GET https://${host}/ → ${answer.status} ${answer.body.split('\n')[1] ?? ''}`);
  const removed = await client.api('DELETE', path);
  check(removed.status === 204, 'deleteOrigin', removed);
  say(`   DELETE …/origin → ${removed.status}: the files are served again`);
}

/** The URL that it prints when it listens. */
async function addressOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the application has no output');
  const [line] = (await once(stdout, 'data', { signal: AbortSignal.timeout(START_LIMIT_MS) })) as [Buffer];
  const [url] = /http:\S+/.exec(line.toString()) ?? [];
  if (url === undefined) throw new Error(`the application said: ${line.toString()}`);
  return url;
}
