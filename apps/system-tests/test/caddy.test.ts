import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it, describe, jest } from '@jest/globals';
import { createScenarioClient, openDevRecords, type ScenarioClient } from '@pets/dev-stack';
import { sharedTestStack, type SharedTestStack } from '@pets/lab';
import { describeWhen, freePort, isInstalled, startServiceProcess, type ServiceProcess } from '@pets/testing';
import { addDomain, at, goLive, openPets, type DomainFixture } from './domain-steps.js';
import { pinOf, startHttp3Visitor, visitWithSession, type Http3Visitor, type TlsServer } from './tls-visits.js';

jest.setTimeout(180_000);

const caddyfile = fileURLToPath(new URL('../../../deploy/caddy/Caddyfile', import.meta.url));
const CADDY = 'caddy';
const SITE = 'docs.behind-caddy.com';
const ALIAS = 'www.behind-caddy.net';
const noCaddy = isInstalled(CADDY) ? null : 'not installed: caddy';

describeWhen(describe, 'Caddy as the gateway, with our certificates', noCaddy, () => {
  let dataDir: string;
  let stack: SharedTestStack;
  let caddy: ServiceProcess;
  let caddyEnv: Record<string, string>;
  let fixture: DomainFixture;
  let visitor: ScenarioClient;
  let server: TlsServer;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pets-caddy-'));
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
    stack = await sharedTestStack(env);
    const { dev } = stack;
    const [httpPort, httpsPort] = [await freePort(), await freePort()];
    caddyEnv = {
      ...env,
      HOME: dataDir,
      XDG_DATA_HOME: dataDir,
      XDG_CONFIG_HOME: dataDir,
      API_URL: dev.internalUrl.replace('://', `://gateway:${stack.gatewayToken}@`),
      EDGE_HTTP: new URL(dev.edgeHttpUrl).host,
      EDGE_HTTPS: new URL(dev.edgeHttpsUrl).host,
      HTTP_PORT: String(httpPort),
      HTTPS_PORT: String(httpsPort),
      EDGE_TLS_OPTIONS: `tls_trusted_ca_certs ${dev.caCertificatePath}`,
    };
    const args = ['run', '--config', caddyfile, '--adapter', 'caddyfile'];
    caddy = await startServiceProcess({ name: 'caddy', command: CADDY, args, env: caddyEnv, port: httpsPort });
    const records = openDevRecords(dev);
    const root = await readFile(dev.caCertificatePath, 'utf8');
    server = { port: httpsPort, ca: root };
    const throughCaddy = {
      ...dev,
      edgeHttpUrl: `http://127.0.0.1:${httpPort}`,
      edgeHttpsUrl: `https://127.0.0.1:${httpsPort}`,
    };
    visitor = createScenarioClient(throughCaddy, root);
    fixture = {
      pets: openPets(dev),
      visitor,
      projectId: dev.projectId,
      createRecord: (name, target) => records.put({ name, type: 'CNAME', data: `${target}.` }),
    };
    await goLive(fixture, SITE, await addDomain(fixture, SITE));
    await goLive(fixture, ALIAS, await addDomain(fixture, ALIAS));
  });
  afterAll(async () => {
    await caddy?.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const browsers: Http3Visitor[] = [];
  const http3Visitor = async (pins: ReadonlyMap<string, string>) => {
    const browser = await startHttp3Visitor(server.port, pins);
    browsers.push(browser);
    return browser;
  };
  afterEach(async () => {
    await Promise.all(browsers.splice(0).map((browser) => browser.close()));
  });

  it('shows the certificate that was issued for a live name, and the site', async () => {
    const visit = await visitor.visit(SITE);
    expect([visit.status, visit.issuer]).toEqual([200, expect.stringMatching(/Pets Development/)]);
    expect(visit.body).toContain('<h1');
  });

  it('serves several names at a time, each with its own certificate', async () => {
    const visits = await Promise.all([SITE, ALIAS, SITE, ALIAS].map((host) => visitor.visit(host)));
    expect(visits.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('resumes the session of a returning visitor', async () => {
    const first = await visitWithSession(server, SITE);
    expect(first).toMatchObject({ isResumed: false, status: 200, session: expect.any(Buffer) });
    expect(await visitWithSession(server, SITE, first.session)).toMatchObject({ isResumed: true, status: 200 });
  });

  it('serves over HTTP/3', async () => {
    const browser = await http3Visitor(new Map([[SITE, await pinOf(server, SITE)]]));
    expect(await browser.visit(SITE)).toEqual({ status: 200, protocol: 'h3' });
  });

  it('sends plain HTTP to HTTPS, as the edge does', async () => {
    expect((await visitor.visit(SITE, { isPlain: true, path: '/a?b' })).status).toBe(308);
  });

  it('refuses the handshake for a name that is not ours', async () => {
    await expect(visitor.visit('unknown.example.com')).rejects.toThrow();
  });

  it('serves nothing of a removed name from the moment a removal is answered with 204', async () => {
    const { session } = await visitWithSession(server, ALIAS);
    const pins = new Map([
      [SITE, await pinOf(server, SITE)],
      [ALIAS, await pinOf(server, ALIAS)],
    ]);
    const connected = await http3Visitor(pins);
    expect(await connected.visit(ALIAS)).toEqual({ status: 200, protocol: 'h3' });

    const removed = await fixture.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', at(fixture, ALIAS));
    expect(removed.response.status).toBe(204);
    // A full handshake is refused, over TCP and QUIC.
    await expect(visitor.visit(ALIAS)).rejects.toThrow();
    const fresh = await http3Visitor(pins);
    await expect(fresh.visit(ALIAS)).rejects.toThrow('ERR_QUIC_PROTOCOL_ERROR');
    // Caddy asks nobody about a resumed session or an open connection, but the edge refuses the request.
    expect(await visitWithSession(server, ALIAS, session)).toMatchObject({ isResumed: true, status: 502 });
    expect((await connected.visit(ALIAS)).status).toBe(502);
    expect(await fresh.visit(SITE)).toEqual({ status: 200, protocol: 'h3' });
    expect((await visitor.visit(SITE)).status).toBe(200);
  });

  it('resumes no session where tickets are turned off, as docs/operations/edge.md says', async () => {
    const [httpPort, port] = [await freePort(), await freePort()];
    const env = { ...caddyEnv, HTTP_PORT: String(httpPort), HTTPS_PORT: String(port) };
    const adapted = execFileSync(CADDY, ['adapt', '--config', caddyfile], { env, encoding: 'utf8', stdio: 'pipe' });
    const config = JSON.parse(adapted) as { apps: { tls: object } };
    config.apps.tls = { ...config.apps.tls, session_tickets: { disabled: true } };
    const path = join(dataDir, 'caddy.json');
    await writeFile(path, JSON.stringify(config));
    const args = ['run', '--config', path];
    const strict = await startServiceProcess({ name: 'strict-caddy', command: CADDY, args, env, port });
    try {
      expect(await visitWithSession({ ...server, port }, SITE)).toMatchObject({ status: 200, session: undefined });
    } finally {
      await strict.stop();
    }
  });

  it('gives keys to nobody without the token', async () => {
    const ask = (authorization?: string) =>
      fetch(`${stack.dev.internalUrl}/internal/gateway/certificate?server_name=${SITE}`, {
        headers: authorization === undefined ? {} : { authorization },
      });
    const basic = (password: string) => `Basic ${Buffer.from(`gateway:${password}`).toString('base64')}`;
    const answers = await Promise.all([
      ask(),
      ask(basic('wrong')),
      ask(`Bearer ${stack.dev.apiKey}`),
      ask(basic(stack.gatewayToken)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 200]);
    expect(caddy.lines.join('\n')).not.toContain(stack.gatewayToken);
    expect(await answers[3]?.text()).toMatch(/^-----BEGIN CERTIFICATE-----[^]+-----BEGIN PRIVATE KEY-----/);
  });
});
