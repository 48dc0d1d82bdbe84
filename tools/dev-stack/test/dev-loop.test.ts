import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyRepository } from '../src/dev/repository-copy.js';
import { freePort } from '@pets/testing/processes';
import { runStartCommand, type RunningStack } from '../src/stack.js';
import { waitUntil } from '@pets/testing/processes';

const START_LIMIT_MS = 300_000;
const CHANGE_LIMIT_MS = 60_000;
const TEST_LIMIT_MS = 3 * CHANGE_LIMIT_MS;
const startPage = 'apps/pets-api/src/http/start-page.module.ts';

let folder: string;
let copy: string;
let stack: RunningStack | undefined;
let dashboardPort: number;
let debugPort: number;

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'pets-dev-')));
  copy = join(folder, 'repository');
  copyRepository(copy);
  dashboardPort = await freePort();
  debugPort = await freePort();
  stack = await runStartCommand({
    mode: 'dev',
    root: copy,
    dataDir: join(folder, 'data'),
    env: {
      PATH: process.env['PATH'] ?? '',
      DASHBOARD_PORT: String(dashboardPort),
      DEBUG_SERVICE: 'domains-worker',
      DEBUG_PORT: String(debugPort),
    },
    timeoutMs: START_LIMIT_MS,
  });
}, START_LIMIT_MS);
afterAll(async () => {
  await stack?.stop();
  if (process.platform === 'linux') expect(processesOfCopy()).toEqual([]);
  await rm(folder, { recursive: true, force: true });
}, TEST_LIMIT_MS);

function running(): RunningStack {
  if (stack === undefined) throw new Error('the stack is not running');
  return stack;
}

/** Replaces a text in a file of the copy. @returns how to undo it */
function edit(path: string, from: string, to: string): () => void {
  const file = join(copy, path);
  const before = readFileSync(file, 'utf8');
  expect(before).toContain(from);
  writeFileSync(file, before.replace(from, to));
  return () => writeFileSync(file, before);
}

const title = async () => {
  const response = await fetch(running().dev.apiUrl, { headers: { connection: 'close' } });
  return /<title>(.*)<\/title>/.exec(await response.text())?.[1];
};

function until(condition: () => boolean | Promise<boolean>, message: string): Promise<boolean> {
  return waitUntil(condition, { timeoutMs: CHANGE_LIMIT_MS, message });
}

/** The services that have restarted since a number of lines. */
function restartsAfter(lines: number): string[] {
  const texts = running().lines.slice(lines);
  return texts.flatMap((line) => /^\[([\w-]+)\] restarted in /.exec(line)?.[1] ?? []).sort();
}

function processesOfCopy(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(copy);
      } catch {
        return false; // ended meanwhile
      }
    });
}

describe('npm run dev', () => {
  it(
    'restarts the service whose source has changed, and no other',
    async () => {
      const before = running().lines.length;
      edit(startPage, '<title>Pets API<', '<title>First edit<');
      await until(async () => (await title()) === 'First edit', 'the edit to be answered');
      // Again, now from the process that was waiting.
      await until(() => restartsAfter(before).length === 1, 'the restart to be reported');
      edit(startPage, '<title>First edit<', '<title>Second edit<');
      await until(async () => (await title()) === 'Second edit', 'the second edit to be answered');
      await until(() => restartsAfter(before).length === 2, 'the restart to be reported');
      expect(restartsAfter(before)).toEqual(['pets-api', 'pets-api']);
    },
    CHANGE_LIMIT_MS,
  );

  it(
    'restarts every service that has loaded a source of a library',
    async () => {
      const before = running().lines.length;
      edit('libs/dns/src/index.ts', '', '// of the worker alone\n');
      await until(() => restartsAfter(before).length === 1, 'a restart');
      edit('libs/async/src/index.ts', '', '// of all three\n');
      await until(() => restartsAfter(before).length === 4, 'three restarts');
      expect(restartsAfter(before)).toEqual(['domains-worker', 'domains-worker', 'edge', 'pets-api']);
    },
    CHANGE_LIMIT_MS,
  );

  it('opens the inspector of DEBUG_SERVICE after a restart too', async () => {
    const opened = running().lines.filter((line) => line.includes('Debugger listening on'));
    expect(opened.length).toBeGreaterThan(1);
    expect(opened.filter((line) => !line.startsWith('[domains-worker] '))).toEqual([]);
    const targets = await (await fetch(`http://127.0.0.1:${debugPort}/json/list`)).json();
    expect(targets).toEqual([expect.objectContaining({ title: expect.stringContaining('domains-worker') })]);
  });

  it(
    'reports a syntax error in one line and keeps the process until it is corrected',
    async () => {
      const before = running().lines.length;
      const undo = edit(startPage, '@Module(', '@Module((');
      await until(() => running().lines.length > before, 'the error to be reported');
      const reported = running()
        .lines.slice(before)
        .filter((line) => line.includes(startPage));
      expect(reported).toEqual([
        expect.stringMatching(/^\[dev\] apps\/pets-api\/src\/http\/start-page\.module\.ts:\d+:\d+ /),
      ]);
      await title();
      expect(restartsAfter(before)).toEqual([]);
      undo();
      edit(startPage, '<title>Second edit<', '<title>Corrected<');
      await until(async () => (await title()) === 'Corrected', 'the corrected version');
    },
    CHANGE_LIMIT_MS,
  );

  it(
    'starts a service that has crashed again at the next change',
    async () => {
      const before = running().lines.length;
      const undo = edit('apps/pets-api/src/main.ts', '', "throw new Error('does not start');\n");
      const crash = '[pets-api] exited with code 1; it starts again at the next change';
      await until(() => running().lines.slice(before).includes(crash), 'the crash to be reported');
      undo();
      await until(async () => (await title().catch(() => '')) === 'Corrected', 'the service to answer again');
    },
    CHANGE_LIMIT_MS,
  );

  it('serves the dashboard at an origin whose sessions the API accepts', async () => {
    const origin = `http://127.0.0.1:${dashboardPort}`;
    expect(running().dev.dashboardUrl).toBe(`${origin}/dashboard`);
    const signIn = (from: string) =>
      fetch(`${origin}/dashboard/session`, {
        method: 'POST',
        headers: { origin: from, 'x-csrf': '1', authorization: `Bearer ${running().dev.apiKey}` },
      });
    const refused = await signIn(running().dev.apiUrl);
    expect(refused.status).toBe(403);
    const accepted = await signIn(origin);
    expect(accepted.status).toBe(201);
    const cookie = accepted.headers.get('set-cookie')?.split(';')[0] ?? '';
    const pets = await fetch(`${origin}/v1/pets`, { headers: { cookie, 'sec-fetch-site': 'same-origin' } });
    expect(pets.status).toBe(200);
  });

  it(
    'tells an open dashboard about a change of its sources',
    async () => {
      const base = `http://127.0.0.1:${dashboardPort}/dashboard`;
      const page = await (await fetch(`${base}/`, { headers: { accept: 'text/html' } })).text();
      expect(page).toContain('/dashboard/@vite/client');
      const client = await (await fetch(`${base}/@vite/client`)).text();
      const token = /wsToken = "([^"]+)"/.exec(client)?.[1] ?? '';
      await (await fetch(`${base}/src/strings.ts`)).text();
      const socket = new WebSocket(`${base.replace('http', 'ws')}/?token=${token}`, 'vite-hmr');
      const messages: string[] = [];
      socket.addEventListener('message', ({ data }) => messages.push(String(data)));
      await until(() => messages.some((text) => text.includes('"connected"')), 'the connection to Vite');
      edit('apps/dashboard/src/strings.ts', '', '// changed\n');
      await until(() => messages.some((text) => /"type":"(?:update|full-reload)"/.test(text)), 'the change');
      socket.close();
    },
    CHANGE_LIMIT_MS,
  );
});
