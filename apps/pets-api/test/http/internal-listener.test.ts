import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EDGE_TOKEN, startTestApi, type ApiReplica, type TestApi } from '../harness.js';
import { scrape } from '../operations/scrape.js';
import { openSession } from '../access/session-client.js';

const GATEWAY_TOKEN = 'a-token-of-a-gateway-01234567890123456';
const edge = `authorization: Bearer ${EDGE_TOKEN}`;
const gateway = `authorization: Bearer ${GATEWAY_TOKEN}`;
const ID = '00000000-0000-4000-8000-000000000000';

let api: TestApi;
let internalUrl: string;

beforeAll(async () => {
  api = await startTestApi({ INTERNAL_PORT: '1', GATEWAY_TOKEN });
  internalUrl = api.internalUrl ?? '';
});
afterAll(() => api.close());

/** Longer than any part of a path may be, which the router notices before it knows whose route it is. */
const LONG_PATH = `/internal/edge/certificates/${'a'.repeat(1_000)}`;

/** Requests that succeed, or fail for another reason than that nothing is there, where the routes are. */
const requests = [
  ['GET', '/internal/edge/session?protocol=1', `${edge}\r\nupgrade: websocket\r\nconnection: upgrade`],
  ['DELETE', '/internal/edge/edges/edge-00000000', edge],
  ['GET', `/internal/edge/certificates/${ID}`, edge],
  ['GET', LONG_PATH, edge],
  ['GET', '/internal/gateway/ask?domain=docs.example.com', gateway],
  ['GET', '/internal/gateway/certificate?server_name=docs.example.com', gateway],
  ['GET', '/metrics', 'x-nothing: x'],
] as const;

/** Ways to write a path, some of which a server, or a proxy before it, may take for the path itself. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => `${path}/`,
  (path) => `/${path}`,
  (path) => `///${path}`,
  (path) => path.replaceAll('/', '//'),
  (path) => path.replace(/^\/./, (start) => `/%${start.charCodeAt(1).toString(16)}`),
  (path) => path.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  (path) => path.replace(/^\/./, (start) => `/%25${start.charCodeAt(1).toString(16)}`),
  (path) => path.replace(/(.)\//, '$1%2f'),
  (path) => path.replace(/(.)\//, '$1%5c'),
  (path) => path.replace(/(.)\//, '$1\\'),
  (path) => path.toUpperCase(),
  (path) => `/.${path}`,
  (path) => `/%2e${path}`,
  (path) => `/v1/..${path}`,
  (path) => `/livez/..${path}`,
  (path) => `/v1/%2e%2e${path}`,
  (path) => `/livez/..%2f${path.slice(1)}`,
  (path) => path.replace(/^\/[a-z]+/, (segment) => `${segment};x=1`),
  (path) => `${path};x`,
  (path) => `${path}?internal=1`,
  (path) => `${path}%00`,
  (path) => `${path}%20`,
  (path) => `http://internal${path}`,
  (path) => `HTTPS://internal:1${path}`,
  (path) => `http://user@internal${path}`,
  (path) => `http://internal/${path}`,
];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'];

describe('the public port', () => {
  const named = requests.map((request) => [`${request[0]} ${request[1].slice(0, 60)}`, ...request] as const);
  it.each(named)('does not serve %s, in any spelling', async (_name, method, path, credential) => {
    const lines = spellings.map((spell) => `${method} ${spell(path)}`);
    const found = await Promise.all(lines.map(async (line) => [line, await ask(api.url, line, credential)] as const));
    expect(found.filter(([, status]) => status !== 404)).toEqual([]);
  });

  it('answers 404 for any method', async () => {
    const lines = requests.flatMap(([, path]) => methods.map((method) => `${method} ${path}`));
    const found = await Promise.all(lines.map(async (line) => [line, await ask(api.url, line, edge)] as const));
    expect(found.filter(([, status]) => status !== 404)).toEqual([]);
  });

  it('ignores host and forwarding headers of any connection', async () => {
    const { port } = new URL(internalUrl);
    const headers = [
      `host: 127.0.0.1:${port}`,
      'x-forwarded-host: internal',
      `x-forwarded-port: ${port}`,
      'x-original-url: /internal/edge/session',
      'x-rewrite-url: /internal/edge/session',
      'forwarded: for=127.0.0.1;host=internal',
      'accept-version: 1.x',
    ];
    for (const header of headers)
      expect([header, await ask(api.url, 'GET /internal/edge/session', `${edge}\r\n${header}`)]).toEqual([
        header,
        header.startsWith('host') ? 400 : 404,
      ]);
    const answers = await exchange(
      api.url,
      `GET /livez HTTP/1.1\r\nhost: x\r\n\r\nGET /internal/edge/session HTTP/1.1\r\nhost: x\r\n${edge}\r\nconnection: close\r\n\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404']);
  });

  it('answers as for an unknown path', async () => {
    const bodyOf = async (path: string) => (await api.request('GET', path, { key: EDGE_TOKEN })).body;
    expect(await bodyOf('/internal/edge/session')).toEqual(await bodyOf('/nothing/edge/session'));
  });
});

describe('the internal port', () => {
  it('serves requests of edges and gateways, the board and the metrics', async () => {
    const statuses = await Promise.all(
      requests.map(async ([method, path, credential]) => [
        path,
        await ask(internalUrl, `${method} ${path}`, credential),
      ]),
    );
    const expected = [400, 204, 404, 414, 404, 404, 200, 200, 200];
    expect(statuses).toEqual(requests.map(([, path], index) => [path, expected[index]]));
    expect((await scrape(internalUrl)).value('process_resident_memory_bytes')).toBeGreaterThan(0);
  });

  it('requires the same credentials', async () => {
    const wrong = 'authorization: Bearer wrong';
    const asked = requests.filter(([, path]) => path !== '/metrics' && path !== LONG_PATH);
    for (const [method, path] of asked)
      expect([path, await ask(internalUrl, `${method} ${path}`, wrong)]).toEqual([path, 401]);
  });

  it('has no /v1, no dashboard and no documentation', async () => {
    const { key } = await api.createOrganization('pro');
    const paths = ['/v1/pets', '/v1/projects', '/dashboard', '/docs', '/openapi.json', '/problems/not_found'];
    for (const path of paths)
      for (const method of ['GET', 'PUT', 'OPTIONS'])
        expect([path, await ask(internalUrl, `${method} ${path}`, `authorization: Bearer ${key}`)]).toEqual([
          path,
          404,
        ]);
    expect((await api.request('GET', '/v1/pets', { key })).status).toBe(200);
  });

  it('lists the methods of its own paths', async () => {
    const answer = await fetch(`${internalUrl}/internal/edge/session`, { method: 'PUT' });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS');
  });

  it('refuses broken messages as the public one does', async () => {
    expect(await exchange(internalUrl, 'GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 400 [^]*"code":"invalid_request"/,
    );
    expect(await exchange(internalUrl, 'nonsense\r\n\r\n')).toMatch(/^HTTP\/1\.1 400 [^]*"code":"invalid_request"/);
  });

  it.each(['/livez', '/readyz'])('has %s, as the public one does', async (path) => {
    for (const url of [internalUrl, api.url]) expect(await ask(url, `GET ${path}`, 'x-nothing: x')).toBe(200);
  });
});

describe('a replica', () => {
  it('without INTERNAL_PORT serves /internal at the public port, and no metrics', async () => {
    const replica = await api.startReplica({ INTERNAL_PORT: '' });
    expect(replica.internalUrl).toBeUndefined();
    expect(await statusesOf(replica)).toEqual([204, 404]);
  });

  it('with INTERNAL_ALSO_PUBLIC serves it at both, and metrics at the internal port alone', async () => {
    const replica = await api.startReplica({ INTERNAL_ALSO_PUBLIC: 'true' });
    expect(await statusesOf(replica)).toEqual([204, 404]);
    expect(await statusesOf({ url: replica.internalUrl ?? '' })).toEqual([204, 200]);
    expect(await ask(replica.internalUrl ?? '', 'GET /docs', edge)).toBe(404);
  });

  it('does not start with one port for both listeners', async () => {
    await expect(api.startReplica({ PORT: '3000', INTERNAL_PORT: '3000' })).rejects.toThrow(
      /^INTERNAL_PORT: must not be the same as PORT/,
    );
  });

  it('that stops ends sessions and kept connections at both ports, and leaves no listener behind', async () => {
    const replica = await api.startReplica();
    const url = replica.internalUrl ?? '';
    const session = await openSession(url, { edgeId: 'edge-stopped', after: 0 });
    const kept = connect(Number(new URL(url).port), '127.0.0.1');
    await new Promise((resolve) => kept.once('data', resolve) && kept.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n'));
    const began = performance.now();
    await replica.stopApi();
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await session.closed()).toBe(1001);
    await expect(fetch(`${url}/livez`)).rejects.toThrow();
    kept.destroy();
  });
});

/** A deregistration, the board, and the metrics. */
function statusesOf({ url }: Pick<ApiReplica, 'url'>): Promise<number[]> {
  const lines = [
    ['DELETE /internal/edge/edges/edge-00000000', edge],
    ['GET /metrics', edge],
  ] as const;
  return Promise.all(lines.map(([line, header]) => ask(url, line, header)));
}

/** The status of the answer to a request line as it stands, which `fetch` would tidy up first. */
async function ask(url: string, line: string, header: string): Promise<number> {
  const body = /^(?:POST|PUT|PATCH)/.test(line)
    ? 'content-type: application/json\r\ncontent-length: 2\r\n\r\n{}'
    : '\r\n';
  const answer = await exchange(url, `${line} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}\r\n${body}`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}

/** Returns everything that is answered until the connection ends. */
function exchange(url: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.write(bytes));
    socket.setTimeout(10_000, () => socket.destroy(new Error(`no answer to ${bytes}`)));
    socket
      .on('data', (chunk) => (answer += String(chunk)))
      .on('close', () => resolve(answer))
      .on('error', reject);
  });
}
