import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, waitUntil } from '@pets/dev-stack';
import { z } from 'zod';
import { startCertificateFixture, type CertificateFixture } from '../certificates/certificate-fixture.js';

/** Sites with their own domains, served by several edges. Only the CA and the DNS are local substitutes. */
export interface SiteFixture {
  readonly certificates: CertificateFixture;
  readonly edges: readonly EdgePlace[];
  /** Deploys sites, each with its own domain, and waits until all are live. */
  publish(apiUrl: string, hosts: readonly string[]): Promise<readonly Site[]>;
  /** @returns the status of the API's response: 204 when no edge serves the site any more, 202 when some have not confirmed it */
  remove(apiUrl: string, site: Site): Promise<number>;
  /** The number of edges that have not confirmed a removal. */
  pendingEdges(apiUrl: string, site: Site): Promise<number>;
  close(): Promise<void>;
}

interface EdgePlace {
  readonly httpsPort: number;
  readonly healthPort: number;
  readonly dataFolder: string;
  /** Without `API_URL`, which the caller adds. */
  readonly environment: Readonly<Record<string, string>>;
}

export interface Site {
  readonly host: string;
  readonly projectId: string;
  readonly domainId: string;
  /** The unique body of `/`. `/large.bin` has `LARGE_BYTES`. */
  readonly body: string;
}

export const LARGE_BYTES = 4 * 1024 * 1024;

const REQUEST_LIMIT_MS = 30_000;
const LIVE_LIMIT_MS = 90_000;

const projectSchema = z.object({ id: z.string() });
const domainSchema = z.object({
  id: z.string(),
  state: z.string(),
  pendingEdges: z.int(),
  records: z.array(z.object({ value: z.string() })).min(1),
});

export async function startSiteFixture(edgeCount: number): Promise<SiteFixture> {
  const certificates = await startCertificateFixture();
  const edges = await Promise.all(Array.from({ length: edgeCount }, (_, index) => placeEdge(certificates, index)));
  return {
    certificates,
    edges,
    publish: (apiUrl, hosts) => publishSites(certificates, apiUrl, hosts),
    remove: async (apiUrl, { projectId, domainId }) => {
      const path = `/v1/projects/${projectId}/domains/${domainId}`;
      const response = await call(certificates, 'DELETE', apiUrl + path);
      return response.status;
    },
    pendingEdges: async (apiUrl, { projectId, domainId }) => {
      const response = await call(certificates, 'GET', `${apiUrl}/v1/projects/${projectId}/domains/${domainId}`);
      return domainSchema.parse(await response.json()).pendingEdges;
    },
    close: () => certificates.close(),
  };
}

/** The first edge uses the port at which the CA checks challenges; all edges can answer them. */
async function placeEdge(fixture: CertificateFixture, index: number): Promise<EdgePlace> {
  const httpPort = index === 0 ? fixture.httpPort : await freePort();
  const httpsPort = index === 0 ? fixture.httpsPort : await freePort();
  const healthPort = await freePort();
  const dataFolder = join(fixture.engine.folder, `edge-${index}`);
  const environment = {
    ...fixture.environment().edge,
    EDGE_HTTP_PORT: String(httpPort),
    EDGE_HTTPS_PORT: String(httpsPort),
    EDGE_DATA_DIR: dataFolder,
    ADVERTISED_HTTP_ADDRESS: `127.0.0.1:${httpPort}`,
    ADVERTISED_HTTPS_ADDRESS: `127.0.0.1:${httpsPort}`,
  };
  return { httpsPort, healthPort, dataFolder, environment };
}

async function publishSites(fixture: CertificateFixture, apiUrl: string, hosts: readonly string[]): Promise<Site[]> {
  const sites: Site[] = [];
  for (const host of hosts) sites.push(await addSite(fixture, apiUrl, host));
  const isLive = async ({ projectId, domainId }: Site) => {
    const response = await call(fixture, 'GET', `${apiUrl}/v1/projects/${projectId}/domains/${domainId}`);
    return domainSchema.parse(await response.json()).state === 'live';
  };
  await waitUntil(async () => (await Promise.all(sites.map(isLive))).every((live) => live), {
    timeoutMs: LIVE_LIMIT_MS,
    intervalMs: 200,
    message: `${sites.length} sites to be live`,
  });
  return sites;
}

async function addSite(fixture: CertificateFixture, apiUrl: string, host: string): Promise<Site> {
  const slug = host.replaceAll('.', '-');
  const project = await expectJson(fixture, 'POST', `${apiUrl}/v1/projects`, projectSchema, { name: host, slug });
  const body = `${host} ${randomBytes(512).toString('hex')}`;
  const projectUrl = `${apiUrl}/v1/projects/${project.id}`;
  await deploy(fixture, projectUrl, { 'index.html': body, 'large.bin': randomBytes(LARGE_BYTES) });
  const domain = await expectJson(fixture, 'POST', `${projectUrl}/domains`, domainSchema, { name: host });
  const target = domain.records[0]?.value ?? '';
  for (const server of [fixture.dns, fixture.dnsOfCa]) {
    server.put({ type: 'CNAME', name: host, data: `${target}.` });
    server.put({ type: 'A', name: target, data: '127.0.0.1' });
  }
  const clicked = await call(fixture, 'POST', `${projectUrl}/domains/${domain.id}/verify`);
  if (clicked.status !== 202) throw new Error(`a click was answered ${clicked.status} ${await clicked.text()}`);
  return { host, projectId: project.id, domainId: domain.id, body };
}

async function deploy(fixture: CertificateFixture, url: string, files: Readonly<Record<string, string | Buffer>>) {
  const folder = join(fixture.engine.folder, 'upload');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const options = { maxBuffer: 64 * 1024 * 1024, timeout: REQUEST_LIMIT_MS };
  const { stdout, status } = spawnSync('tar', ['-czf', '-', '-C', folder, ...Object.keys(files)], options);
  if (status !== 0) throw new Error('tar failed');
  const response = await call(fixture, 'POST', `${url}/deployments`, new Uint8Array(stdout), 'application/gzip');
  if (response.status !== 201) throw new Error(`a deployment was answered ${response.status} ${await response.text()}`);
}

async function expectJson<Schema extends z.ZodType>(
  fixture: CertificateFixture,
  method: string,
  url: string,
  schema: Schema,
  body: unknown,
): Promise<z.infer<Schema>> {
  const response = await call(fixture, method, url, JSON.stringify(body), 'application/json');
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url} was answered ${response.status} ${text}`);
  return schema.parse(JSON.parse(text));
}

function call(
  { engine }: CertificateFixture,
  method: string,
  url: string,
  body?: string | Uint8Array<ArrayBuffer>,
  contentType?: string,
): Promise<Response> {
  return fetch(url, {
    method,
    headers: { authorization: `Bearer ${engine.apiKey}`, ...(contentType && { 'content-type': contentType }) },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
  });
}
