/** A second server of a zone, and addresses that rotate: `npm run dns` makes them. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { promises as dns } from 'node:dns';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevDns, type DevDns } from '../src/dev-dns/dev-dns.js';
import { sendControl } from './dev-dns-control.js';

let server: DevDns;
let folder: string;

const start = async () => {
  const file = join(folder, 'dev-dns.json');
  server = await startDevDns({ platformDomain: 'pets.localhost', secondPort: 0, file });
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dev-dns-'));
  await start();
});
afterEach(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const control = (method: string, path: string, body?: unknown) => sendControl(server.controlUrl, method, path, body);
const put = (name: string, data: string) => control('PUT', '/records', { name, type: 'A', data });

function askAt(address: string | null): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: 300, tries: 1 });
  resolver.setServers([address ?? '']);
  return resolver;
}

const first = () => askAt(server.address);
const second = () => askAt(server.secondAddress);

async function restart(): Promise<void> {
  await server.close();
  await start();
}

describe('a second server', () => {
  const NAME = 'docs.example.com';
  const add = (state: string) => control('PUT', '/second-servers', { zone: 'example.com', state });

  it('is named by the zone, beside the first one, and by no other zone', async () => {
    await add('same');
    expect((await first().resolveNs('example.com')).sort()).toEqual(['ns1.dev-dns.test', 'ns2.dev-dns.test']);
    expect(await first().resolve4('ns1.dev-dns.test')).not.toEqual(await first().resolve4('ns2.dev-dns.test'));
    expect((await first().resolveSoa('example.com')).serial).toBe(1);
    await expect(first().resolveNs('example.net')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  it('has the same records', async () => {
    await add('same');
    await put(NAME, '203.0.113.7');
    expect(await second().resolve4(NAME)).toEqual(['203.0.113.7']);
  });

  it('refuses questions about the zone if it is lame, and answers others', async () => {
    await add('lame');
    await put(NAME, '203.0.113.7');
    await put('docs.example.net', '203.0.113.8');
    await expect(second().resolve4(NAME)).rejects.toMatchObject({ code: 'EREFUSED' });
    expect(await first().resolve4(NAME)).toEqual(['203.0.113.7']);
    expect(await second().resolve4('docs.example.net')).toEqual(['203.0.113.8']);
  });

  it('does not answer if it is silent', async () => {
    await add('silent');
    await put(NAME, '203.0.113.7');
    await expect(second().resolve4(NAME)).rejects.toMatchObject({ code: 'ETIMEOUT' });
    expect(await first().resolve4(NAME)).toEqual(['203.0.113.7']);
  });

  it('has the records from before if it is stale', async () => {
    await put(NAME, '203.0.113.7');
    await add('stale');
    await control('DELETE', `/records?name=${NAME}`);
    await put(NAME, '203.0.113.8');
    await put('new.example.com', '203.0.113.8');
    expect(await first().resolve4(NAME)).toEqual(['203.0.113.8']);
    expect(await second().resolve4(NAME)).toEqual(['203.0.113.7']);
    await expect(second().resolve4('new.example.com')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    expect((await second().resolveNs('example.com')).length).toBe(2);
  });

  it('answers as the first one once it is removed', async () => {
    await add('lame');
    await put(NAME, '203.0.113.7');
    expect((await control('DELETE', '/second-servers?zone=example.com')).status).toBe(204);
    expect(await second().resolve4(NAME)).toEqual(['203.0.113.7']);
    await expect(first().resolveNs('example.com')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('is the same after a restart', async () => {
    await put(NAME, '203.0.113.7');
    await add('stale');
    await control('DELETE', `/records?name=${NAME}`);
    const { body } = await control('GET', '/second-servers');
    expect(body).toMatchObject([{ zone: 'example.com', state: 'stale', records: [{ name: NAME }] }]);
    await restart();
    expect((await control('GET', '/second-servers')).body).toEqual(body);
    expect(await second().resolve4(NAME)).toEqual(['203.0.113.7']);
  });

  it('is refused in another state, and where there is no port for it', async () => {
    expect(await add('gone')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    const alone = await startDevDns();
    const refused = await sendControl(alone.controlUrl, 'PUT', '/second-servers', { zone: 'a.com', state: 'lame' });
    await alone.close();
    expect(refused).toMatchObject({ status: 409, body: { code: 'no_second_server' } });
  });
});

describe('a rotation', () => {
  const addresses = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '2001:db8::1', '2001:db8::2'];
  const rotate = (name: string, count: number) => control('PUT', '/rotations', { name, addresses, count });

  it('shows the next addresses in each answer, and IPv6 in an order of its own', async () => {
    await rotate('docs.example.com', 2);
    expect((await first().resolve4('docs.example.com')).sort()).toEqual(['192.0.2.1', '192.0.2.2']);
    expect((await first().resolve4('docs.example.com')).sort()).toEqual(['192.0.2.1', '192.0.2.3']);
    expect((await first().resolve4('docs.example.com')).sort()).toEqual(['192.0.2.2', '192.0.2.3']);
    expect(await first().resolve6('docs.example.com')).toHaveLength(2);
  });

  it('takes the place of addresses and of a CNAME, until it is ended', async () => {
    await control('PUT', '/records', { name: 'docs.example.com', type: 'CNAME', data: 'target.example.' });
    await control('PUT', '/records', { name: 'docs.example.com', type: 'TXT', data: 'kept' });
    await rotate('docs.example.com', 1);
    expect(await first().resolve4('docs.example.com')).toEqual(['192.0.2.1']);
    expect(await first().resolveTxt('docs.example.com')).toEqual([['kept']]);
    await expect(first().resolveCname('docs.example.com')).rejects.toMatchObject({ code: 'ENODATA' });
    expect((await control('DELETE', '/rotations?name=docs.example.com')).status).toBe(204);
    expect(await first().resolveCname('docs.example.com')).toEqual(['target.example']);
  });

  it('of the platform is that of all its names, and of a name that is flattened to one of them', async () => {
    await rotate('pets.localhost', 1);
    await control('PUT', '/records', { name: 'docs.example.com', type: 'ALIAS', data: 't1.cname.pets.localhost.' });
    expect(await first().resolve4('t1.cname.pets.localhost')).toEqual(['192.0.2.1']);
    expect(await first().resolve4('docs.example.com')).toEqual(['192.0.2.2']);
    expect(await first().resolve4('pets.localhost')).toEqual(['192.0.2.3']);
  });

  it('is the same after a restart', async () => {
    await rotate('docs.example.com', 1);
    const { body } = await control('GET', '/rotations');
    await restart();
    expect((await control('GET', '/rotations')).body).toEqual(body);
  });

  it.each([{ addresses: [] }, { addresses: ['no address'] }, { addresses, count: 0 }])(
    'with %j is refused',
    async (wrong) => {
      const { status } = await control('PUT', '/rotations', { name: 'docs.example.com', ...wrong });
      expect(status).toBe(400);
    },
  );
});
