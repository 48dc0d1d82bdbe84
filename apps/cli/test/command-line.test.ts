import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@pets/testing';
import { Pets } from './run-pets.js';

const run = promisify(execFile);
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

/** Something that listens where the API is said to be. */
async function listen(onRequest: RequestListener): Promise<Pets> {
  server = createServer(onRequest).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port
  return pets.with({ PETS_API_URL: `http://127.0.0.1:${port}`, PETS_API_KEY: 'key', PETS_PROJECT: 'p' });
}

describe('a command line', () => {
  it.each([[['--help']], [['domains', '--help']], [['domains', 'wait', '--help']], [['login', '--help']]])(
    'explains itself: pets %s',
    async (args) => {
      const { code, stdout, stderr } = await pets.run(args);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('Usage: pets');
    },
  );

  it('tells its version', async () => {
    expect(await pets.run(['--version'])).toEqual({ code: 0, stdout: '1.0.0\n', stderr: '' });
  });

  it.each<[string, string[], string]>([
    ['without a command', [], 'No command given'],
    ['with an unknown command', ['domains', 'wiat', 'x'], 'Did you mean wait?'],
    ['with an unknown option', ['domains', 'list', '--al'], 'unknown option'],
    ['without an argument', ['domains', 'add'], 'missing required argument'],
    ['with an argument too many', ['domains', 'show', 'a.example', 'b.example'], 'too many arguments'],
    ['with a duration that is none', ['domains', 'wait', 'a.example', '--timeout', '10'], 'such as 90s, 10m or 1h'],
    ['with an id that is none', ['orders', 'add', '9223372036854775808'], '64-bit integer'],
    ['that would leave its place in the path', ['domains', 'remove', '..', '--yes'], 'Must not be empty'],
    ['that does not say which API', ['projects', 'list'], 'No API URL'],
    ['without a key', ['projects', 'list', '--api-url', 'http://127.0.0.1:1'], 'No API key'],
    [
      'with a resolver that is none',
      ['domains', 'doctor', 'a.example', '--resolver', 'dns.example'],
      'Invalid --resolver',
    ],
  ])('%s is refused, and says why in one document too', async (_name, args, message) => {
    const { code, stdout, stderr } = await pets.run(args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    const { outcome } = await pets.json(args);
    expect(outcome).toMatchObject({ ok: false, status: 'usage', message: expect.stringContaining(message) });
  });

  it('leaves no project by its name', async () => {
    const env = { PETS_API_URL: 'http://127.0.0.1:1', PETS_API_KEY: 'key', PETS_PROJECT: '..' };
    expect(await pets.run(['domains', 'list'], { env })).toMatchObject({ code: 2 });
  });

  it('takes no key as an argument', async () => {
    expect(await pets.run(['projects', 'list', '--api-key', 'secret'])).toMatchObject({ code: 2 });
  });

  it('does not show a key that no header can carry', async () => {
    const env = { PETS_API_URL: 'http://127.0.0.1:1', PETS_API_KEY: 'secret\nkey' };
    const { code, stderr } = await pets.run(['projects', 'list'], { env });
    expect([code, stderr.includes('secret')]).toEqual([2, false]);
  });
});

describe('an API that is not there', () => {
  it('ends a command as unavailable', async () => {
    const apiUrl = `http://127.0.0.1:${await freePort()}`;
    const { code, outcome } = await pets.json(['projects', 'list'], {
      env: { PETS_API_URL: apiUrl, PETS_API_KEY: 'key' },
    });
    expect([code, outcome.reason]).toEqual([6, 'api_unreachable']);
    expect(outcome.message).toContain('ECONNREFUSED');
  });

  it('is told from one that answers with something else', async () => {
    const elsewhere = await listen((_request, response) => response.writeHead(502).end('<html>Bad gateway</html>'));
    const { code, outcome } = await elsewhere.json(['projects', 'list']);
    expect([code, outcome.message]).toEqual([6, expect.stringContaining('HTTP 502')]);
  });

  it('is quoted with every field it finds at fault', async () => {
    const errors = [
      { field: 'name', message: 'is required' },
      { field: 'categoryId', message: 'must be an integer' },
    ];
    const refusing = await listen((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ code: 'invalid_parameter', message: 'name: is required', status: 400, errors }));
    });
    const { code, stderr } = await refusing.run(['projects', 'list']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('name: is required; categoryId: must be an integer')]);
  });

  it('is asked once more when the connection breaks, and a creation no more than the key allows', async () => {
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

  it('is not waited for after Ctrl-C', async () => {
    let child: ChildProcess | undefined;
    const silent = await listen(() => child?.kill('SIGINT'));
    const began = performance.now();
    const { code, outcome } = await silent.json(['domains', 'show', 'docs.example.com'], {
      onStart: (it) => (child = it),
    });
    expect([code, outcome.status]).toEqual([130, 'interrupted']);
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});

describe('output', () => {
  it('has internationalized names in Unicode, with the form of DNS beside it', async () => {
    const domain = { name: 'xn--bcher-kva.example.com', unicodeName: 'bücher.example.com', state: 'live' };
    const listing = await listen((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify([{ ...domain, suspensions: [], certificate: null, issues: [] }]));
    });
    const { stdout } = await listing.run(['domains', 'list']);
    expect(stdout).toContain('bücher.example.com (xn--bcher-kva.example.com)');
  });

  it('has no colours where nobody looks, and has them where they are forced', async () => {
    const args = ['projects', 'list'];
    const { stderr: plain } = await pets.run(args);
    expect(plain).not.toContain('\u001b');
    const { stderr: coloured } = await pets.run(args, { env: { FORCE_COLOR: '1' } });
    expect(coloured).toContain('\u001b[');
  });

  it('may be cut short by whoever reads it', async () => {
    const script = `"${process.execPath}" "${PROGRAM}" --help 2>&1 | true; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await run('bash', ['-c', script], { timeout: 10_000 });
    expect(['0', '141']).toContain(stdout.trim());
    expect(stderr).toBe('');
  });
});

describe('a folder that cannot be deployed', () => {
  it.each<[string, (folder: string) => Promise<unknown>, number, string]>([
    ['is none', async (folder) => rm(folder, { recursive: true }), 2, 'invalid_folder'],
    ['is empty', async () => undefined, 4, 'empty_folder'],
    ['holds only what is hidden', async (folder) => writeFile(join(folder, '.env'), 'SECRET=1'), 4, 'empty_folder'],
    ['holds a link', async (folder) => symlink('/etc/passwd', join(folder, 'passwd')), 4, 'invalid_bundle'],
  ])('that %s', async (_name, arrange, exitCode, reason) => {
    const folder = join(home, 'site');
    await mkdir(folder, { recursive: true });
    await arrange(folder);
    const env = { PETS_API_URL: 'http://127.0.0.1:1', PETS_API_KEY: 'key', PETS_PROJECT: 'p' };
    const { code, outcome } = await pets.json(['deploy', folder], { env });
    expect([code, outcome.reason]).toEqual([exitCode, reason]);
    await rm(folder, { recursive: true, force: true });
  });
});
