import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, isInstalled } from '@pets/testing';

const PROGRAM = join(import.meta.dirname, '../bin/pets.mjs');
const PROJECT = '0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f';
const RUN_TIMEOUT_MS = 30_000;
let home: string;
let server: Server;
let apiUrl: string;
const keys: (string | undefined)[] = [];
/** Methods of requests that change something. */
const changes: (string | undefined)[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'pets-cli-'));
  server = createServer((request, response) => {
    keys.push(request.headers.authorization);
    if (request.method !== 'GET') changes.push(request.method);
    const name = /\/domains\/(.+)$/.exec(request.url ?? '')?.[1];
    if (request.method === 'DELETE') response.writeHead(204).end();
    else if (name === 'mistyped.example.com') {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"code":"not_found","message":"There is no such domain.","status":404}');
    } else if (name !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ name, unicodeName: name }));
    } else response.writeHead(200, { 'content-type': 'application/json' }).end('[]');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on a port
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(home, { recursive: true, force: true });
});

/** Runs on a pseudo-terminal and answers the prompt. @returns the exit code and the terminal output */
function onTerminal(
  args: readonly string[],
  prompt: string,
  answer: string,
): Promise<{ code: number | null; shown: string }> {
  const words = [process.execPath, PROGRAM, ...args].map((word) => `'${word}'`);
  const command = `exec ${words.join(' ')}`;
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'xterm', NO_COLOR: '1', SHELL: '/bin/sh' };
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    env,
    timeout: RUN_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  let shown = '';
  let isAnswered = false;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    if (isAnswered || !shown.includes(prompt)) return;
    isAnswered = true;
    child.stdin.write(answer);
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, shown }));
  });
}

describeWhen(describe, 'pets on a terminal', isInstalled('script') ? null : 'script is not installed', () => {
  it('reads a key without showing it, and supports backspace', async () => {
    const { code, shown } = await onTerminal(
      ['login', '--api-url', apiUrl],
      'API key for',
      'pets_test_sx\u007fecret\r',
    );
    expect(code).toBe(0);
    expect(shown).not.toContain('ecret');
    expect(keys).toEqual(['Bearer pets_test_secret']);
    expect(await readFile(join(home, '.config/pets/config.json'), 'utf8')).toContain('"apiKey": "pets_test_secret"');
  });

  it('exits on Ctrl-C at the prompt', async () => {
    const { code } = await onTerminal(['login', '--api-url', apiUrl], 'API key for', '\u0003');
    expect(code).toBe(130);
  });

  it.each([
    ['no', 'n\r', 4],
    ['nothing', '\r', 4],
    ['Ctrl-D', '\u0004', 4],
    ['Ctrl-C', '\u0003', 130],
  ])('removes nothing after the answer %s', async (_name, answer, exitCode) => {
    const args = ['domains', 'remove', 'docs.example.com', '--project', PROJECT, '--api-url', apiUrl];
    changes.length = 0;
    const { code } = await onTerminal(args, '[y/N]', answer);
    expect(code).toBe(exitCode);
    expect(changes).toEqual([]);
  });

  it('removes the domain after the answer yes', async () => {
    const args = ['domains', 'remove', 'docs.example.com', '--project', PROJECT, '--api-url', apiUrl];
    changes.length = 0;
    const { code } = await onTerminal(args, '[y/N]', 'y\r');
    expect(code).toBe(0);
    expect(changes).toEqual(['DELETE']);
  });

  it('asks for no confirmation where the name does not exist', async () => {
    const args = ['domains', 'remove', 'mistyped.example.com', '--project', PROJECT, '--api-url', apiUrl];
    const { code, shown } = await onTerminal(args, '[y/N]', 'y\r');
    expect(code).toBe(4);
    expect(shown).toContain('refused: Could not remove mistyped.example.com. There is no such domain.');
    expect(shown).not.toContain('[y/N]');
  });
});
