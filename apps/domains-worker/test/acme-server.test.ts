import { createServer, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { AcmeServer, askCa } from '../src/certificate-authority/acme-server.js';
import { makeAccountKey } from './certificates.js';
import { directory, problem, startScriptedCa, type Script, type ScriptedCa } from './scripted-ca.js';

const key = makeAccountKey();
const signal = () => AbortSignal.timeout(10_000);

describe('askCa', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  async function ask(listener: RequestListener, limitMs?: number, given = signal()) {
    const server = createServer(listener);
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    return askCa(url, { method: 'GET' }, given, limitMs);
  }

  it('says who asks (RFC 8555 §6.1)', async () => {
    let agent: string | undefined;
    await ask((request, response) => {
      agent = request.headers['user-agent'];
      response.end();
    });
    expect(agent).toBe('pets-domains-worker');
  });

  it('hands over what a refusal says', async () => {
    const reply = await ask((_request, response) => response.writeHead(503, { 'retry-after': '60' }).end('busy'));
    expect(reply).toMatchObject({ status: 503, text: 'busy', retryAfter: '60' });
  });

  const long = Buffer.alloc(400_000, 32);
  it.each<[string, RequestListener, object]>([
    [
      'a redirect',
      (_, response) => response.writeHead(307, { location: '/x' }).end(),
      { status: 307, detail: 'the CA redirects to /x' },
    ],
    [
      'a body without end',
      (_, response) => void [1, 2, 3].map(() => response.write(long)),
      { status: 200, detail: 'the response of the CA is too long' },
    ],
    [
      'a truncated body',
      (_, response) => {
        response.writeHead(200, { 'content-length': '10' });
        response.write('{', () => response.destroy());
      },
      { status: null, detail: expect.stringContaining('cannot be reached') },
    ],
    [
      'a closed connection',
      (request) => request.socket.destroy(),
      { detail: expect.stringContaining('cannot be reached') },
    ],
  ])('refuses %s', async (_case, listener, expected) => {
    await expect(ask(listener)).rejects.toMatchObject({ name: 'CaError', problem: { type: null, ...expected } });
  });

  it('has a limit of its own', async () => {
    const detail = expect.stringMatching(/127\.0\.0\.1:\d+ did not answer within 20 ms/);
    await expect(ask(() => undefined, 20)).rejects.toMatchObject({ problem: { detail } });
  });

  it('ends with the job’s own reason', async () => {
    const job = new AbortController();
    const asking = ask(() => job.abort(new Error('gave up')), undefined, job.signal);
    await expect(asking).rejects.toThrow('gave up');
  });
});

describe('AcmeServer', () => {
  let ca: ScriptedCa;
  afterEach(() => ca.stop());

  async function serverWith(script: Script): Promise<AcmeServer> {
    ca = await startScriptedCa({ '/dir': [{ body: directory }], '/nonce': [{}], ...script });
    return new AcmeServer(ca.directoryUrl);
  }
  const post = (server: AcmeServer) =>
    server.post(`${ca.url}/thing`, { key, accountUrl: `${ca.url}/account` }, signal());

  it('reads the directory once for concurrent requests', async () => {
    const server = await serverWith({});
    await Promise.all([1, 2, 3].map(() => server.directory(signal())));
    await server.directory(signal());
    expect(ca.requestedPaths()).toEqual(['/dir']);
  });

  it('reads the directory again after a failure', async () => {
    const server = await serverWith({ '/dir': [{ status: 503 }, { body: directory }] });
    await expect(server.directory(signal())).rejects.toMatchObject({ problem: { status: 503 } });
    await expect(server.directory(signal())).resolves.toMatchObject({ newOrder: `${ca.url}/new-order` });
  });

  it('names the member that a directory lacks', async () => {
    const server = await serverWith({ '/dir': [{ body: { ...directory, newOrder: undefined } }] });
    const detail = expect.stringContaining('newOrder');
    await expect(server.directory(signal())).rejects.toMatchObject({ problem: { detail } });
  });

  it('ignores invalid optional members of a directory', async () => {
    const meta = { caaIdentities: 'ca.test', externalAccountRequired: null, profiles: [], website: 7 };
    const server = await serverWith({ '/dir': [{ body: { ...directory, renewalInfo: '', meta } }] });
    const { caaIdentities, externalAccountRequired, profiles, renewalInfo } = await server.directory(signal());
    expect(caaIdentities).toBeUndefined();
    expect(externalAccountRequired).toBeUndefined();
    expect(profiles).toBeUndefined();
    expect(renewalInfo).toBeUndefined();
  });

  it('requests one nonce, then uses those of the responses', async () => {
    const server = await serverWith({ '/thing': [{}] });
    await post(server);
    await post(server);
    expect(ca.requestedPaths()).toEqual(['/dir', '/nonce', '/thing', '/thing']);
  });

  it('sends a request with a refused nonce again, with the nonce of the refusal', async () => {
    const server = await serverWith({ '/thing': [problem('badNonce'), problem('badNonce'), { body: 'done' }] });
    expect((await post(server)).text).toBe('done');
    expect(ca.requestedPaths()).toEqual(['/dir', '/nonce', '/thing', '/thing', '/thing']);
  });

  it('fails if the CA refuses every nonce', async () => {
    const server = await serverWith({ '/thing': [problem('badNonce')] });
    await expect(post(server)).rejects.toMatchObject({ problem: { type: 'urn:ietf:params:acme:error:badNonce' } });
    expect(ca.requestedPaths().filter((path) => path === '/thing')).toHaveLength(20);
  });

  it.each([429, 500, 503])('does not send a request again after a refusal with status %s', async (status) => {
    const server = await serverWith({ '/thing': [problem('serverInternal', status)] });
    await expect(post(server)).rejects.toMatchObject({ problem: { status } });
    expect(ca.requestedPaths()).toEqual(['/dir', '/nonce', '/thing']);
  });

  it('refuses http URLs of a CA with a https directory', async () => {
    ca = await startScriptedCa({});
    const server = new AcmeServer('https://ca.test/dir');
    const asking = server.post(`${ca.url}/thing`, { key, accountUrl: null }, signal());
    await expect(asking).rejects.toMatchObject({ problem: { detail: expect.stringContaining('not a https URL') } });
    expect(ca.requests).toEqual([]);
  });
});
