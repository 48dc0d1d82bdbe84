import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { generateKey } from '../../src/access/api-keys/key-format.js';
import { EDGE_TOKEN, startTestApi, type ApiReplica, type TestApi } from '../harness.js';

type Line = Readonly<Record<string, unknown>>;

const lines: Line[] = [];
let api: TestApi;
let behindProxy: ApiReplica;
let count = 0;

beforeAll(async () => {
  const log = createLogger('test', 'info', { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const settings = { INTERNAL_PORT: '1', WRONG_KEYS_PER_MINUTE: '3' };
  api = await startTestApi(settings, undefined, log);
  behindProxy = await api.startReplica({ TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8' });
});
afterAll(() => api.close());

const nextId = () => `client-address-${++count}`;
const line = (requestId: string) =>
  waitUntil(() => lines.find((entry) => entry['msg'] === 'request' && entry['requestId'] === requestId), {
    message: `the log line of ${requestId}`,
  });

async function addressOf(url: string, headers: Record<string, string>): Promise<unknown> {
  const id = nextId();
  await fetch(url, { headers: { 'x-request-id': id, ...headers } });
  return (await line(id))['address'];
}

/** Sends bytes as they are. @returns the first line of the answer */
function exchange(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.once('data', (data) => {
      resolve(data.toString().split('\r\n')[0] ?? '');
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('the log line of a request', () => {
  it.each<[string, string, string]>([
    ['the client of a trusted proxy', '203.0.113.9', '203.0.113.9'],
    ['an IPv6 client', '2001:DB8::9', '2001:db8::9'],
    ['the client of two trusted proxies, without what it made up', '1.1.1.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['the proxy, when its header has no address', 'unknown, _hidden', '127.0.0.1'],
    ['the proxy, when its header is empty', ',,,', '127.0.0.1'],
    ['a hop, when the header has hops without end', '10.0.0.1,'.repeat(1_000), '127.0.0.1'],
  ])('has %s', async (_name, forwarded, expected) => {
    expect(await addressOf(`${behindProxy.url}/livez`, { 'x-forwarded-for': forwarded })).toBe(expected);
  });

  it('has the address of the connection when no proxy is trusted', async () => {
    expect(await addressOf(`${api.url}/livez`, { 'x-forwarded-for': '203.0.113.9' })).toBe('127.0.0.1');
  });

  it('comes with one warning of a forwarded header that is not trusted, for each process', async () => {
    const warned = () =>
      lines.filter(({ msg }) => String(msg).startsWith('forwarded header from an untrusted address'));
    const before = warned().length;
    const replica = await api.startReplica({ TRUSTED_PROXIES: 'none' });
    for (const name of ['forwarded', 'x-forwarded-for'])
      expect(await addressOf(`${replica.url}/livez`, { [name]: 'for=203.0.113.9' })).toBe('127.0.0.1');
    expect(warned().slice(before)).toEqual([expect.objectContaining({ level: 40, peer: '127.0.0.1' })]);
  });

  it('has the client of a request at the internal listener', async () => {
    const url = `${behindProxy.internalUrl}/internal/edge/certificates/00000000-0000-4000-8000-000000000000`;
    const headers = { authorization: `Bearer ${EDGE_TOKEN}`, 'x-forwarded-for': '203.0.113.10' };
    expect(await addressOf(url, headers)).toBe('203.0.113.10');
    const spoofed = `${api.internalUrl}/internal/edge/certificates/00000000-0000-4000-8000-000000000000`;
    expect(await addressOf(spoofed, headers)).toBe('127.0.0.1');
  });

  it('has the client of a path that the router refuses', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.11' };
    expect(await addressOf(`${behindProxy.url}/v1/pets/${'a'.repeat(2_000)}`, forwarded)).toBe('203.0.113.11');
  });

  it('has the client of a repeated header, whatever its bytes', async () => {
    const id = nextId();
    const head = `GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: ${id}\r\n`;
    const forwarded = 'X-Forwarded-For: \xff\xfe%00, 203.0.113.12\r\nX-Forwarded-For: 10.0.0.7\r\n';
    expect(await exchange(behindProxy.url, `${head}${forwarded}\r\n`)).toBe('HTTP/1.1 200 OK');
    expect((await line(id))['address']).toBe('203.0.113.12');
  });

  it('has the address of the connection when the request cannot be read', async () => {
    const before = lines.length;
    expect(await exchange(behindProxy.url, 'NO HTTP\r\n\r\n')).toContain('400');
    const refused = await waitUntil(() => lines.slice(before).find(({ msg }) => msg === 'request'), {
      message: 'the line',
    });
    expect(refused).toMatchObject({ status: 400, address: '127.0.0.1' });
  });
});

describe('the limit of wrong keys', () => {
  const ask = (replica: ApiReplica, key: string, forwarded: string) =>
    replica.request('GET', '/v1/organization', { key, headers: { 'x-forwarded-for': forwarded } });
  const WRONG = `pets_test_${'0'.repeat(40)}`;
  const exhaust = async (replica: ApiReplica, forwarded: (index: number) => string) => {
    for (let index = 0; index < 3; index += 1) expect((await ask(replica, WRONG, forwarded(index))).status).toBe(401);
  };

  it('counts clients behind a trusted proxy apart', async () => {
    await exhaust(behindProxy, () => '198.51.100.1');
    const refused = await ask(behindProxy, WRONG, '198.51.100.1');
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await ask(behindProxy, WRONG, '198.51.100.2')).status).toBe(401);
  });

  it('counts the addresses of an IPv6 network together', async () => {
    await exhaust(behindProxy, (index) => `2001:db8:0:1::${index}`);
    expect((await ask(behindProxy, WRONG, '2001:db8:0:1:ffff::1')).status).toBe(429);
    expect((await ask(behindProxy, WRONG, '2001:db8:0:2::1')).status).toBe(401);
  });

  it('is not evaded by a header of an untrusted client', async () => {
    const { key } = await api.createOrganization('free');
    expect((await ask(api, key, '198.51.100.1')).status).toBe(200);
    await exhaust(api, (index) => `198.51.100.${index}`);
    expect((await ask(api, WRONG, '198.51.100.77')).status).toBe(429);
    expect((await ask(api, key, '198.51.100.78')).status).toBe(200);
    expect((await api.request('GET', '/livez')).status).toBe(200);
  });

  it.each([60, 600])('lets a right key in after %d wrong ones of its address, also at the dashboard', async (wrong) => {
    const { key } = await api.createOrganization('free');
    const headers = { origin: 'https://api.example', 'x-csrf': '1' };
    for (let index = 0; index < wrong; index += 1) {
      const own = index % 2 === 0 ? WRONG : generateKey('pets_test_', 'api_key');
      await api.request('POST', '/dashboard/session', { key: own, headers });
    }
    expect((await api.request('POST', '/dashboard/session', { key, headers })).status).toBe(201);
    expect((await api.request('GET', '/v1/organization', { key })).status).toBe(200);
  });

  it('lets a right key in, new or known, during a flood of unknown keys of its address', async () => {
    const { key } = await api.createOrganization('free');
    let isOver = false;
    const flood = Array.from({ length: 40 }, async () => {
      const counts = { 401: 0, 429: 0, other: 0 };
      while (!isOver) {
        const { status } = await api.request('GET', '/v1/organization', { key: generateKey('pets_test_', 'api_key') });
        counts[status === 401 || status === 429 ? status : 'other'] += 1;
      }
      return counts;
    });
    const statuses: number[] = [];
    for (let index = 0; index < 20; index += 1)
      statuses.push((await api.request('GET', '/v1/organization', { key })).status);
    isOver = true;
    const counted = await Promise.all(flood);
    expect(statuses).toEqual(Array(20).fill(200));
    expect(counted.map(({ other }) => other)).toEqual(Array(40).fill(0));
  });
});
