import { createHash, randomBytes } from 'node:crypto';
import { cp, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { certificateKeyBinding, originHeadersBinding, PLATFORM_CERTIFICATE, type EdgeRoute } from '@pets/contracts';
import { createLogger, loadConfig, openFileStorage, parseKeyRing, seal } from '@pets/platform';
import {
  compileRules,
  contentKey,
  freshnessOfName,
  HEADERS_FILE,
  REDIRECTS_FILE,
  writeSiteIndex,
  type SiteEntry,
} from '@pets/sites';
import { createEdge, type Edge } from '../src/edge.js';
import { edgeConfigSchema } from '../src/platform/config.js';
import type { Ports } from '../src/processes/sockets.js';
import { makeCertificate, type KeyKind } from './certificates.js';
import { EdgeProcesses } from './edge-processes.js';
import { FakeApi } from './fake-api.js';
import { Visitor } from './visitor.js';

export const CONTENT_HASH = 'c0ffee00';
const keks = `test:${randomBytes(32).toString('base64')}`;

/** An edge with a fake API, deployed files, and a visitor that trusts its certificates. */
export class EdgeFixture {
  readonly api: FakeApi;
  readonly visitor: Visitor;
  readonly env: Record<string, string>;
  #edge: Edge | undefined;
  #processes: EdgeProcesses | undefined;
  /** The access log lines of the edge. */
  readonly accessLines: string[] = [];
  /** Moves the edge's clock ahead, to test what happens later. */
  clockAheadMs = 0;

  private constructor(
    readonly folder: string,
    platform: { readonly cert: string; readonly key: string },
    api: FakeApi,
  ) {
    this.api = api;
    this.visitor = new Visitor(() => this.#processes?.ports ?? this.edge.ports());
    this.visitor.trust(platform.cert);
    this.env = {
      HOST: '127.0.0.1',
      LOG_LEVEL: 'silent',
      EDGE_HTTP_PORT: '0',
      EDGE_HTTPS_PORT: '0',
      HEALTH_PORT: '0',
      API_URL: api.url,
      EDGE_TOKEN: FakeApi.token,
      CERTIFICATE_KEKS: keks,
      PLATFORM_DOMAIN: 'pets.test',
      PLATFORM_CERTIFICATE: platform.cert,
      PLATFORM_KEY: platform.key,
      STORAGE_URL: pathToFileURL(join(folder, 'files')).href,
      EDGE_DATA_DIR: join(folder, 'edge'),
    };
  }

  static async build(): Promise<EdgeFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'edge-'));
    const storageUrl = () => fixture.env['STORAGE_URL'] ?? '';
    const api = new FakeApi(() => openFileStorage(storageUrl()));
    await api.up();
    const fixture: EdgeFixture = new EdgeFixture(folder, await makeCertificate('*.pets.test'), api);
    await fixture.deploy({
      'index.html': '<h1>Home</h1>',
      'about.html': 'About',
      'docs/index.html': 'Docs',
      'assets/app.css': 'body{}',
      '[slug]/é.txt': 'odd name',
      'large.bin': 'x'.repeat(3_000_000),
      '404.html': 'Lost?',
    });
    return fixture;
  }

  get edge(): Edge {
    if (this.#edge === undefined) throw new Error('the edge was not started');
    return this.#edge;
  }

  get edgeFolder(): string {
    return join(this.folder, 'edge');
  }

  async startEdge(settings: Record<string, string> = {}): Promise<void> {
    await (await this.prepareEdge(settings)).start();
  }

  /** An edge that has yet to start. */
  async prepareEdge(settings: Record<string, string> = {}): Promise<Edge> {
    const config = loadConfig(edgeConfigSchema, { ...this.env, ...settings });
    const clock = () => Date.now() + this.clockAheadMs;
    this.#edge = await createEdge(config, createLogger('edge', config.LOG_LEVEL), {
      now: clock,
      accessLog: { write: (line) => void this.accessLines.push(line), flush: () => undefined },
    });
    return this.#edge;
  }

  /** Starts the edge as production runs it, in processes of its own. */
  async startProcesses(settings: Record<string, string> = {}, ports?: Ports): Promise<EdgeProcesses> {
    this.#processes = await EdgeProcesses.start({ ...this.env, ...settings }, ports);
    return this.#processes;
  }

  /** The value of a series that the edge counts, as `/metrics` names it; 0 when there is none. */
  async count(series: string): Promise<number> {
    const lines = (await this.edge.metrics.metrics()).split('\n');
    return Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1) ?? 0);
  }

  async stopEdge(): Promise<void> {
    this.visitor.leave();
    await this.#processes?.stop('SIGKILL');
    await this.#edge?.stop();
    this.#edge = undefined;
  }

  /** Leaves the files as they are now, as after a kill: an orderly stop voids the contact. */
  async crashEdge(): Promise<void> {
    const copy = join(this.folder, 'copy');
    await cp(this.edgeFolder, copy, { recursive: true });
    await this.stopEdge();
    await rm(this.edgeFolder, { recursive: true });
    await rename(copy, this.edgeFolder);
  }

  async tearDown(): Promise<void> {
    await this.stopEdge();
    await this.api.down();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Puts a deployment into the storage, as the API does. */
  async deploy(files: Readonly<Record<string, string | Buffer>>, contentHash = CONTENT_HASH): Promise<void> {
    const storage = await openFileStorage(this.env['STORAGE_URL'] ?? '');
    const index = new Map<string, SiteEntry>();
    const source = join(this.folder, 'upload');
    const { [REDIRECTS_FILE]: redirects = '', [HEADERS_FILE]: headers = '', ...published } = files;
    const rules = compileRules(
      { redirects: redirects.toString(), headers: headers.toString() },
      new Set(Object.keys(published)),
    );
    if ('problems' in rules) throw new Error(JSON.stringify(rules.problems));
    for (const [path, content] of Object.entries(published)) {
      const sha256 = createHash('sha256').update(content).digest('hex');
      await writeFile(source, content);
      await storage.copyFromFs(source, contentKey(sha256));
      index.set(path, { sha256, bytes: Buffer.byteLength(content), freshness: freshnessOfName(path) });
    }
    await writeSiteIndex(storage, contentHash, index, rules.encoded);
  }

  /** Puts a certificate for a host into the API. */
  async issue(id: string, host: string, kind?: KeyKind): Promise<void> {
    const { cert, key } = await makeCertificate(host, kind);
    const sealedKey = seal(parseKeyRing(keks), key, certificateKeyBinding(id, 'organization-1'));
    this.api.certificates.set(id, { id, organizationId: 'organization-1', chainPem: cert, sealedKey });
    this.visitor.trust(cert);
  }

  /** The headers of an origin, as the API publishes them. */
  sealHeaders(originId: string, headers: Readonly<Record<string, string>>): string {
    return seal(parseKeyRing(keks), JSON.stringify(headers), originHeadersBinding(originId));
  }

  /** Issues a certificate for a host and publishes its site. */
  async publishSite(host: string, certificateId = `certificate-of-${host}`): Promise<void> {
    await this.issue(certificateId, host);
    await this.api.publishAndSettle({ [host]: siteRoute(certificateId) });
  }
}

export function siteRoute(certificateId: string | null, contentHash = CONTENT_HASH): EdgeRoute {
  return { answersChallenges: true, serve: { kind: 'site', contentHash }, certificateId };
}

export const platformRoute = siteRoute(PLATFORM_CERTIFICATE);
export const pendingRoute: EdgeRoute = { answersChallenges: true, serve: null, certificateId: null };

export function suspendedRoute(certificateId: string | null): EdgeRoute {
  return { answersChallenges: false, serve: { kind: 'suspended' }, certificateId };
}

export function redirectRoute(
  to: string,
  certificateId: string | null,
  status: 301 | 302 | 307 | 308 = 308,
): EdgeRoute {
  return { answersChallenges: true, serve: { kind: 'redirect', to, status }, certificateId };
}
