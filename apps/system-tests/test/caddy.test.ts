import { fileURLToPath } from 'node:url';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, describe, jest } from '@jest/globals';
import { createScenarioClient, openDevRecords, type ScenarioClient } from '@pets/dev-stack';
import {
  describeWhen,
  freePort,
  isInstalled,
  startServiceProcess,
  startStack,
  type RunningStack,
  type ServiceProcess,
} from '@pets/testing';
import { addDomain, ALIAS, at, goLive, openPets, SITE, type DomainFixture } from './domain-steps.js';

jest.setTimeout(180_000);

const caddyfile = fileURLToPath(new URL('../../../deploy/caddy/Caddyfile', import.meta.url));
const token = randomBytes(24).toString('base64url');
const noCaddy = isInstalled('caddy') ? null : 'not installed: caddy';

describeWhen(describe, 'Caddy as the gateway, with our certificates', noCaddy, () => {
  let dataDir: string;
  let stack: RunningStack;
  let caddy: ServiceProcess;
  let fixture: DomainFixture;
  let visitor: ScenarioClient;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'pets-caddy-'));
    const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
    stack = await startStack({ dataDir, env: { ...env, GATEWAY_TOKEN: token } });
    const { dev } = stack;
    const [httpPort, httpsPort] = [await freePort(), await freePort()];
    caddy = await startServiceProcess({
      name: 'caddy',
      command: 'caddy',
      args: ['run', '--config', caddyfile, '--adapter', 'caddyfile'],
      env: {
        ...env,
        HOME: dataDir,
        XDG_DATA_HOME: dataDir,
        XDG_CONFIG_HOME: dataDir,
        API_URL: dev.internalUrl.replace('://', `://gateway:${token}@`),
        EDGE_HTTP: new URL(dev.edgeHttpUrl).host,
        EDGE_HTTPS: new URL(dev.edgeHttpsUrl).host,
        HTTP_PORT: String(httpPort),
        HTTPS_PORT: String(httpsPort),
        EDGE_TLS_OPTIONS: `tls_trusted_ca_certs ${dev.caCertificatePath}`,
      },
      port: httpsPort,
    });
    const records = openDevRecords(dev);
    const root = await readFile(dev.caCertificatePath, 'utf8');
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
    await stack?.stop();
    await rm(dataDir, { recursive: true, force: true });
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

  it('sends plain HTTP to HTTPS, as the edge does', async () => {
    expect((await visitor.visit(SITE, { isPlain: true, path: '/a?b' })).status).toBe(308);
  });

  it('refuses the handshake for a name that is not ours', async () => {
    await expect(visitor.visit('unknown.example.com')).rejects.toThrow();
  });

  it('refuses handshakes from the moment a removal is answered with 204', async () => {
    const removed = await fixture.pets.DELETE('/v1/projects/{projectId}/domains/{domain}', at(fixture, ALIAS));
    expect(removed.response.status).toBe(204);
    await expect(visitor.visit(ALIAS)).rejects.toThrow();
    expect((await visitor.visit(SITE)).status).toBe(200);
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
      ask(basic(token)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 200]);
    expect(caddy.lines.join('\n')).not.toContain(token);
    expect(await answers[3]?.text()).toMatch(/^-----BEGIN CERTIFICATE-----[^]+-----BEGIN PRIVATE KEY-----/);
  });
});
