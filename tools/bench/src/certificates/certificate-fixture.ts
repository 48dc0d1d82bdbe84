import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  freePort,
  issuePlatformCertificate,
  openAuthority,
  startDevDns,
  startPebble,
  waitUntil,
  type DevDns,
  type Pebble,
} from '@pets/dev-stack';
import type pg from 'pg';
import { PLATFORM_DOMAIN, startEngineFixture, type Addresses, type EngineFixture } from '../engine/engine-fixture.js';
import { seedDomains, type SeededDomain } from '../engine/seeded-domains.js';

/** The engine with a CA, a DNS server whose records can be set, and room for an edge: all that issuance needs. */
export interface CertificateFixture {
  readonly engine: EngineFixture;
  readonly dns: DevDns;
  /** The CA's view, whose answers may differ from ours. */
  readonly dnsOfCa: DevDns;
  readonly pebble: Pebble;
  /** Where challenges are answered: the edge at 127.0.0.1; the CA asks any address of a name at this port. */
  readonly httpPort: number;
  readonly httpsPort: number;
  /** The environment of each process, for stores and a CA at the given addresses. */
  environment(addresses?: Partial<Addresses & { readonly directoryUrl: string }>): ProcessEnvironments;
  /** Lets a domain's name point at us. */
  pointHere(domain: { readonly name: string; readonly token: string }): void;
  close(): Promise<void>;
}

interface ProcessEnvironments {
  readonly api: Readonly<Record<string, string>>;
  readonly worker: Readonly<Record<string, string>>;
  readonly edge: Readonly<Record<string, string>>;
}

/** @param postgresSettings of the server */
export async function startCertificateFixture(
  postgresSettings: Readonly<Record<string, string>> = {},
): Promise<CertificateFixture> {
  const engine = await startEngineFixture('redis', postgresSettings);
  const [dns, dnsOfCa] = [await startDevDns(), await startDevDns()];
  const [httpPort, httpsPort] = [await freePort(), await freePort()];
  const pebble = await startPebble({ httpPort, dnsServer: dnsOfCa.address });
  if (pebble === null) throw new Error('pebble is not installed: "node tools/setup.mjs bench" does that on Debian');
  const edge = await edgeEnvironment(engine, { httpPort, httpsPort });
  return {
    ...{ engine, dns, dnsOfCa, pebble, httpPort, httpsPort },
    environment: ({ directoryUrl = pebble.directoryUrl, ...addresses } = {}) => {
      const { api, worker } = engine.environment(addresses);
      const ca = { ACME_DIRECTORY_URLS: directoryUrl };
      return {
        api: { ...api, ...ca },
        worker: {
          ...worker,
          ...ca,
          DNS_RESOLVERS: dns.address,
          HTTP01_PORT: String(httpPort),
          NODE_EXTRA_CA_CERTS: pebble.caCertificatePath,
        },
        edge: { ...edge, EDGE_TOKEN: api['EDGE_TOKEN'] ?? '', CERTIFICATE_KEKS: api['CERTIFICATE_KEKS'] ?? '' },
      };
    },
    pointHere: ({ name, token }) => {
      const target = `${token}.cname.${PLATFORM_DOMAIN}`;
      for (const server of [dns, dnsOfCa]) {
        server.put({ type: 'CNAME', name, data: `${target}.` });
        server.put({ type: 'A', name: target, data: '127.0.0.1' });
      }
    },
    close: async () => {
      await Promise.all([pebble.stop(), dns.close(), dnsOfCa.close()]);
      await engine.close();
    },
  };
}

/** What an edge is given, but for what it shares with the API. `API_URL` is for whoever knows the API's port. */
async function edgeEnvironment(
  { folder }: EngineFixture,
  { httpPort, httpsPort }: { readonly httpPort: number; readonly httpsPort: number },
): Promise<Readonly<Record<string, string>>> {
  const authority = await openAuthority(join(folder, 'platform-ca'));
  const { certificatePem, privateKeyPem } = await issuePlatformCertificate(authority, [`*.${PLATFORM_DOMAIN}`]);
  const certificatePath = join(folder, 'platform.pem');
  const keyPath = join(folder, 'platform.key');
  await writeFile(certificatePath, certificatePem);
  await writeFile(keyPath, privateKeyPem, { mode: 0o600 });
  await mkdir(join(folder, 'deployments'), { recursive: true });
  return {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    HOST: '127.0.0.1',
    EDGE_HTTP_PORT: String(httpPort),
    EDGE_HTTPS_PORT: String(httpsPort),
    PLATFORM_DOMAIN,
    PLATFORM_CERTIFICATE_FILE: certificatePath,
    PLATFORM_KEY_FILE: keyPath,
    STORAGE_URL: pathToFileURL(join(folder, 'deployments')).href,
    EDGE_DATA_DIR: join(folder, 'edge'),
    EDGE_PROCESSES: '2',
    ADVERTISED_HTTP_ADDRESS: `127.0.0.1:${httpPort}`,
    ADVERTISED_HTTPS_ADDRESS: `127.0.0.1:${httpsPort}`,
  };
}

const LIMIT_MS = 300_000;

/** Clicks over HTTP; whether a domain is live is read from the database, so that looking costs the API nothing. */
export class Clicks {
  constructor(
    private readonly db: pg.Client,
    private readonly fixture: CertificateFixture,
    private readonly apiUrl: string,
  ) {}

  async goLive(domains: readonly SeededDomain[]): Promise<void> {
    for (const domain of domains) this.fixture.pointHere(domain);
    await Promise.all(domains.map((domain) => this.click(domain)));
    const ids = domains.map(({ id }) => id);
    const isLive = async () => {
      const text = `select count(*) from domains where state = 'live' and id = any($1::uuid[])`;
      const { rows } = await this.db.query<{ count: string }>(text, [ids]);
      return Number(rows[0]?.count) === ids.length;
    };
    await waitUntil(isLive, { timeoutMs: LIMIT_MS, intervalMs: 2, message: `${ids.length} domains to be live` });
  }

  private async click({ projectId, id }: SeededDomain): Promise<void> {
    const response = await fetch(`${this.apiUrl}/v1/projects/${projectId}/domains/${id}/verify`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.fixture.engine.apiKey}` },
      signal: AbortSignal.timeout(30_000),
    });
    if (response.status !== 202) throw new Error(`a click was answered ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  }
}

/** Domains that nothing looks at until somebody clicks. */
export async function seedUnchecked(
  db: pg.Client,
  { engine }: CertificateFixture,
  count: number,
): Promise<SeededDomain[]> {
  const named = Array.from({ length: count }, (_, index) => ({
    name: `c${index}.certificates.example.com`,
    token: `c${index}`,
  }));
  return [...(await seedDomains(db, engine.organizationId, named, new Date(Date.now() + 86_400_000)))];
}

/** Waits until orders can be placed, and answered by an edge. */
export async function untilAccountIsReady(db: pg.Client): Promise<void> {
  const isReady = async () => {
    const { rows } = await db.query('select from acme_accounts, edges');
    return rows.length > 0;
  };
  await waitUntil(isReady, { timeoutMs: 60_000, message: 'the account at the CA, and the edge' });
}
