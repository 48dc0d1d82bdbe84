import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, isInstalled } from '@pets/testing';
import { Pets } from './run-pets.js';

const run = promisify(execFile);
const PROJECT = '0b8f1c1e-52d4-4c0b-9b0e-6b7a3c1d2e4f';
const PROGRAM = join(import.meta.dirname, '../bin/pets.mjs');
let home: string;
let pets: Pets;
let server: Server | undefined;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'pets-cli-'));
  pets = new Pets({ HOME: home });
});
afterAll(() => rm(home, { recursive: true, force: true }));
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

/** Starts a server at the configured API URL. */
async function listen(onRequest: RequestListener): Promise<Pets> {
  server = createServer(onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port
  return pets.with({ PETS_API_URL: `http://127.0.0.1:${port}`, PETS_API_KEY: 'key', PETS_PROJECT: PROJECT });
}

describe('a command line', () => {
  it.each([[['--help']], [['domains', '--help']], [['domains', 'wait', '--help']], [['login', '--help']]])(
    'has help: pets %s',
    async (args) => {
      const { code, stdout, stderr } = await pets.run(args);
      expect(code).toBe(0);
      expect(stderr).toBe('');
      expect(stdout).toContain('Usage: pets');
    },
  );

  it.each([
    ['alone', []],
    ['in a group', ['domains']],
    ['in a group of a group, even with --json', ['domains', 'certificate', '--json']],
  ])('without a command shows help: pets %s', async (_name, args) => {
    const { code, stdout, stderr } = await pets.run(args);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`Usage: ${['pets', ...args.filter((word) => word !== '--json')].join(' ')} [options]`);
  });

  it('prints its version', async () => {
    expect(await pets.run(['--version'])).toEqual({ code: 0, stdout: '1.0.0\n', stderr: '' });
  });

  it.each<[string, string[], string]>([
    ['with an unknown command', ['domains', 'wiat', 'x'], 'Did you mean wait?'],
    ['with an unknown option', ['domains', 'list', '--al'], 'unknown option'],
    ['without an argument', ['domains', 'add'], 'missing required argument'],
    ['with too many arguments', ['domains', 'show', 'a.example', 'b.example'], 'too many arguments'],
    ['with an invalid duration', ['domains', 'wait', 'a.example', '--timeout', '10'], 'such as 90s, 10m or 1h'],
    ['with an invalid ID', ['orders', 'add', '9223372036854775808'], '64-bit integer'],
    ['with an argument that would change the URL path', ['domains', 'remove', '..', '--yes'], 'Must not be empty'],
    ['without an API URL', ['projects', 'list'], 'No API URL'],
    ['without a key', ['projects', 'list', '--api-url', 'http://127.0.0.1:1'], 'No API key'],
    [
      'with a resolver that is none',
      ['domains', 'doctor', 'a.example', '--resolver', 'dns.example'],
      'Invalid --resolver',
    ],
  ])('%s is rejected with a reason, as text and as JSON', async (_name, args, message) => {
    const { code, stdout, stderr } = await pets.run(args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    const { outcome } = await pets.json(args);
    expect(outcome).toMatchObject({ ok: false, status: 'usage', message: expect.stringContaining(message) });
  });

  it('rejects a project ID that would change the URL path', async () => {
    const env = { PETS_API_URL: 'http://127.0.0.1:1', PETS_API_KEY: 'key', PETS_PROJECT: '..' };
    expect(await pets.run(['domains', 'list'], { env })).toMatchObject({ code: 2 });
  });

  it('accepts no API key as an argument', async () => {
    expect(await pets.run(['projects', 'list', '--api-key', 'secret'])).toMatchObject({ code: 2 });
  });

  it('does not print a malformed API key', async () => {
    const env = { PETS_API_URL: 'http://127.0.0.1:1', PETS_API_KEY: 'secret\nkey' };
    const { code, stderr } = await pets.run(['projects', 'list'], { env });
    expect(code).toBe(2);
    expect(stderr).not.toContain('secret');
  });
});

describe('an API that fails', () => {
  it('is reported as unavailable when nothing listens', async () => {
    const apiUrl = `http://127.0.0.1:${await freePort()}`;
    const { code, outcome } = await pets.json(['projects', 'list'], {
      env: { PETS_API_URL: apiUrl, PETS_API_KEY: 'key' },
    });
    expect(code).toBe(6);
    expect(outcome.reason).toBe('api_unreachable');
    expect(outcome.message).toContain('ECONNREFUSED');
  });

  it('is reported as unavailable when a proxy responds instead', async () => {
    const elsewhere = await listen((_request, response) => response.writeHead(502).end('<html>Bad gateway</html>'));
    const { code, outcome } = await elsewhere.json(['projects', 'list']);
    expect(code).toBe(6);
    expect(outcome.message).toContain('HTTP 502');
  });

  it('is quoted with the error of every field', async () => {
    const errors = [
      { field: 'name', message: 'is required' },
      { field: 'categoryId', message: 'must be an integer' },
    ];
    const refusing = await listen((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 'invalid_parameter', message: 'name: is required', status: 400, errors }));
    });
    const { code, stderr } = await refusing.run(['projects', 'list']);
    expect(code).toBe(2);
    expect(stderr).toContain('Could not list the projects: name is required. categoryId must be an integer.');
  });

  it('gets one retry with the same idempotency key when the connection breaks', async () => {
    const keys: (string | undefined)[] = [];
    const breaking = await listen((request, response) => {
      keys.push(request.headers['idempotency-key']?.toString());
      if (keys.length === 1) return response.destroy();
      response.writeHead(201, { 'content-type': 'application/json' });
      return response.end('{"id":1,"name":"Rex","categoryId":1,"status":"available"}');
    });
    expect(await breaking.run(['pets', 'add', 'Rex', '--category', '1'])).toMatchObject({ code: 0, stdout: '1\n' });
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(keys[1]).toBe(keys[0]);
  });

  it('does not delay Ctrl-C', async () => {
    let child: ChildProcess | undefined;
    const silent = await listen(() => child?.kill('SIGINT'));
    const began = performance.now();
    const { code, outcome } = await silent.json(['domains', 'show', 'docs.example.com'], {
      onStart: (it) => (child = it),
    });
    expect(code).toBe(130);
    expect(outcome.status).toBe('interrupted');
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('output', () => {
  it('shows internationalized names in Unicode and ASCII', async () => {
    const domain = { name: 'xn--bcher-kva.example.com', unicodeName: 'bücher.example.com', state: 'live' };
    const listing = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify([{ ...domain, suspensions: [], certificate: null, issues: [] }]));
    });
    const { stdout } = await listing.run(['domains', 'list']);
    expect(stdout).toContain('bücher.example.com (xn--bcher-kva.example.com)');
  });

  (isInstalled('script') ? it : it.skip)(
    'fits the terminal without a loss, and is never changed in a pipe',
    async () => {
      const project = { id: PROJECT, slug: 'docs', name: 'The handbook of the shop', url: 'https://docs.example.com' };
      const listing = await listen((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify([project]));
      });
      const { stdout: piped } = await listing.run(['projects', 'list'], { env: { COLUMNS: '40' } });
      expect(piped.split('\n')).toHaveLength(3);
      const onTerminal = async (columns: number) =>
        (await listing.onTerminal(['projects', 'list', '--ids'], columns)).filter((line) => line !== 'ok: 1 project.');
      expect(await onTerminal(88)).toEqual([
        'ID                                    SLUG  NAME             URL',
        `${PROJECT}  docs  The handbook of  https://docs.example.com`,
        '                                            the shop',
      ]);
      expect(await onTerminal(60)).toEqual([
        `ID    ${PROJECT}`,
        'SLUG  docs',
        'NAME  The handbook of the shop',
        'URL   https://docs.example.com',
      ]);
    },
  );

  it('has colours only on a terminal, or with FORCE_COLOR', async () => {
    const args = ['projects', 'list'];
    const { stderr: plain } = await pets.run(args);
    expect(plain).not.toContain('\u001b');
    const { stderr: coloured } = await pets.run(args, { env: { FORCE_COLOR: '1' } });
    expect(coloured).toContain('\u001b[');
  });

  it('can be truncated by the reader of a pipe', async () => {
    const script = `"${process.execPath}" "${PROGRAM}" --help 2>&1 | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await run('bash', ['-c', script], { timeout: 10_000 });
    expect(['0', '141']).toContain(stdout.trim());
    expect(stderr).toBe('');
  });
});

describe('pets deploy', () => {
  it.each<[string, (folder: string) => Promise<unknown>, number, string]>([
    ['a folder that does not exist', async (folder) => rm(folder, { recursive: true }), 2, 'invalid_folder'],
    ['an empty folder', async () => undefined, 4, 'empty_folder'],
    [
      'a folder with only what is left out',
      async (folder) => writeFile(join(folder, '.DS_Store'), ''),
      4,
      'empty_folder',
    ],
    ['a folder with secrets', async (folder) => writeFile(join(folder, '.env'), 'SECRET=1'), 4, 'invalid_bundle'],
    ['a folder with a link', async (folder) => symlink('/etc/passwd', join(folder, 'passwd')), 4, 'invalid_bundle'],
  ])('refuses %s', async (_name, arrange, exitCode, reason) => {
    const folder = join(home, 'site');
    await mkdir(folder, { recursive: true });
    await arrange(folder);
    const env = { PETS_API_URL: 'http://127.0.0.1:1', PETS_API_KEY: 'key', PETS_PROJECT: PROJECT };
    const { code, outcome } = await pets.json(['deploy', folder], { env });
    expect(code).toBe(exitCode);
    expect(outcome.reason).toBe(reason);
    await rm(folder, { recursive: true, force: true });
  });
});
