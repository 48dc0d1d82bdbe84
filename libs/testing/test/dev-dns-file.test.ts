import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { promises as dns } from 'node:dns';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startDevDns, type DevDns } from '../src/dev-dns/dev-dns.js';
import { sendControl } from './dev-dns-control.js';

let server: DevDns;
const resolver = new dns.Resolver({ timeout: 300, tries: 1 });

const control = (method: string, path: string, body?: unknown) => sendControl(server.controlUrl, method, path, body);

describe('a file of records', () => {
  let folder: string;
  let file: string;
  const key = { name: 'k.', secret: Buffer.alloc(32) };
  const start = async () => {
    server = await startDevDns({ file, challengeZone: { name: 'acme.pets.localhost', key } });
    resolver.setServers([server.address]);
  };
  const restart = async () => {
    await server.close();
    await start();
  };

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'dev-dns-'));
    file = join(folder, 'data', 'dev-dns.json');
    await start();
  });
  afterEach(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('keeps what was put in, until it is removed', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `d${n}.example.com`);
    await Promise.all(names.map((name) => control('PUT', '/records', { name, type: 'A', data: '203.0.113.7' })));
    await control('PUT', '/records', { name: '*.example.net', type: 'TXT', data: 'x' });
    const { body } = await control('GET', '/records');
    await restart();
    expect((await control('GET', '/records')).body).toEqual(body);
    expect(await resolver.resolve4('d19.example.com')).toEqual(['203.0.113.7']);
    await Promise.all(names.map((name) => control('DELETE', `/records?name=${name}`)));
    await restart();
    expect((await control('GET', '/records')).body).toMatchObject([{ name: '*.example.net' }]);
  });

  it('has a change before it is answered', async () => {
    await control('PUT', '/records', { name: 'a.example.com', type: 'A', data: '203.0.113.7' });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ records: [{ name: 'a.example.com' }] });
  });

  it('continues with the records of the version before, which kept nothing else', async () => {
    await mkdir(dirname(file));
    await writeFile(file, '[{"name":"a.example.com","type":"A","data":"203.0.113.7","ttl":60}]');
    await restart();
    expect(await resolver.resolve4('a.example.com')).toEqual(['203.0.113.7']);
  });

  it('keeps no challenge and no failure', async () => {
    server.put({ name: 't0k.acme.pets.localhost', type: 'TXT', data: 'answer' });
    await control('PUT', '/failures', { name: 'a.example.com', rcode: 'SERVFAIL' });
    await control('PUT', '/records', { name: 'a.example.com', type: 'A', data: '203.0.113.7' });
    await restart();
    expect((await control('GET', '/records')).body).toMatchObject([{ name: 'a.example.com' }]);
    expect((await control('GET', '/failures')).body).toEqual([]);
  });

  it.each(['{', '{}', '[{"name":"a.example.com","type":"A","data":"no address","ttl":60}]'])(
    'with %s stops the start and is named',
    async (content) => {
      await control('PUT', '/records', { name: 'a.example.com', type: 'A', data: '203.0.113.7' });
      await writeFile(file, content);
      await expect(startDevDns({ file })).rejects.toThrow(`${file} has no records of the development DNS server`);
    },
  );
});
