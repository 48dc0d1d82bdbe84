import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startCaObserver, startRedis, startTestStack, type CaObserver, type TestStack } from '@pets/lab';
import { createScenarioClient, openDevRecords, type DevRecords, type ScenarioClient } from '@pets/dev-stack';
import { issuePlatformCertificate, openAuthority, startPebble } from '@pets/testing/dev-ca';
import { freePort } from '@pets/testing/processes';
import { loadConfigOrExit } from '@pets/platform';
import { z } from 'zod';

/** A complete stack whose certificates are issued by Pebble. */
export interface CutoverFixture {
  readonly client: ScenarioClient;
  readonly projectId: string;
  readonly records: DevRecords;
  /** The DNS server of all: of visitors, of the checks, and of the CA. */
  readonly dnsServer: string;
  readonly httpsPort: number;
  /** The root of the certificates that are issued here. */
  readonly rootPem: string;
  readonly observer: CaObserver;
  /** Answer of the project at `/`. */
  readonly siteBody: string;
  readonly folder: string;
  lastLines(): readonly string[];
  close(): Promise<void>;
}

const LAST_LINES = 20;

export async function startCutoverFixture(): Promise<CutoverFixture> {
  const { PATH, HOME } = loadConfigOrExit(z.object({ PATH: z.string(), HOME: z.string() }));
  const folder = await mkdtemp(join(tmpdir(), 'pets-cutover-'));
  const [httpPort, dnsPort] = [await freePort(), await freePort()];
  const dnsServer = `127.0.0.1:${dnsPort}`;
  const redis = await startRedis();
  const pebble = await startPebble({ httpPort, dnsServer });
  if (pebble === null) throw new Error('pebble is not installed: "node tools/setup.mjs bench" does that on Debian');
  const observer = await startCaObserver(pebble);
  const stack = await startTestStack({
    dataDir: join(folder, 'stack'),
    env: {
      ...{ PATH, HOME },
      REDIS_URL: redis.url,
      EDGE_HTTP_PORT: String(httpPort),
      DEV_DNS_PORT: String(dnsPort),
      ACME_DIRECTORY_URLS: observer.directoryUrl,
      NODE_EXTRA_CA_CERTS: pebble.caCertificatePath,
    },
  });
  const rootPem = await pebble.fetchRoot();
  const client = createScenarioClient(stack.dev, rootPem);
  return {
    ...{ dnsServer, rootPem, observer, folder, client },
    siteBody: await readSite(stack, client),
    projectId: stack.dev.projectId,
    records: openDevRecords(stack.dev),
    httpsPort: Number(new URL(stack.dev.edgeHttpsUrl).port),
    lastLines: () => stack.lines.slice(-LAST_LINES),
    close: async () => {
      await stack.stop();
      await observer.close();
      await Promise.all([pebble.stop(), redis.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Over the host of the platform, whose certificate is of the development CA. */
async function readSite({ dev }: TestStack, client: ScenarioClient): Promise<string> {
  const { body: project } = await client.api<{ readonly platformUrl: string }>('GET', `/v1/projects/${dev.projectId}`);
  const { hostname } = new URL(project.platformUrl);
  const platform = createScenarioClient(dev, await readFile(dev.caCertificatePath, 'utf8'));
  const { status, body } = await platform.visit(hostname);
  if (status !== 200) throw new Error(`${hostname} answered ${status}`);
  return body;
}

/** Server of a site before it moves here, and after it has left, with a certificate of another CA. */
export interface OtherServer {
  readonly rootPem: string;
  close(): Promise<void>;
}

interface OtherServerOptions {
  readonly folder: string;
  readonly names: readonly string[];
  readonly address: string;
  readonly port: number;
  readonly body: string;
}

export async function startOtherServer({
  folder,
  names,
  address,
  port,
  body,
}: OtherServerOptions): Promise<OtherServer> {
  const authority = await openAuthority(folder);
  const { certificatePem, privateKeyPem } = await issuePlatformCertificate(authority, names);
  const server = createServer({ cert: certificatePem, key: privateKeyPem }, (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end(body);
  });
  server.listen(port, address);
  await once(server, 'listening');
  return {
    rootPem: authority.rootCertificatePem,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
