import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { built, run, untilReady } from '@pets/bench/engine';
import { freePort, issuePlatformCertificate, openAuthority } from '@pets/dev-stack';
import { contentKey, openFileStorage, writeSiteIndex, type SiteEntry } from '@pets/platform';

/** One edge with two sites and nothing behind it but their routes and files. */
export interface EdgeProcess {
  readonly pid: number;
  readonly httpsPort: number;
  readonly httpPort: number;
  readonly healthPort: number;
  sample(): EdgeSample;
  isRunning(): boolean;
  stop(): Promise<void>;
}

export interface EdgeSample {
  readonly rssBytes: number;
  readonly descriptors: number;
}

export const ATTACKED = 'attacked.pets.test';
/** Which nobody attacks. */
export const OTHER = 'other.pets.test';
const TOKEN = 'chaos-edge-token';
const HEARTBEAT_MS = 1_000;
const SITES = { [ATTACKED]: 'a77ac4ed', [OTHER]: '07e4' } as const;
const LARGE_FILES = 100;

interface EdgeProcessOptions {
  /** Instead of a folder. */
  readonly storageUrl?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly program?: string;
}

export async function startEdgeProcess(options: EdgeProcessOptions = {}): Promise<EdgeProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-slow-readers-'));
  const api = await serveFeed();
  const storageUrl = options.storageUrl ?? pathToFileURL(join(folder, 'files')).href;
  await deploySites(storageUrl, folder);
  const [httpPort, httpsPort, healthPort] = [await freePort(), await freePort(), await freePort()];
  const platform = await platformCertificate(folder);
  const env = {
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    EDGE_HTTP_PORT: String(httpPort),
    EDGE_HTTPS_PORT: String(httpsPort),
    HEALTH_PORT: String(healthPort),
    API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, // a TCP server's address is never a path
    EDGE_TOKEN: TOKEN,
    CERTIFICATE_KEKS: `chaos:${randomBytes(32).toString('base64')}`,
    PLATFORM_DOMAIN: 'pets.test',
    PLATFORM_CERTIFICATE: platform.certificatePem,
    PLATFORM_KEY: platform.privateKeyPem,
    STORAGE_URL: storageUrl,
    EDGE_DATA_DIR: join(folder, 'edge'),
    EDGE_ACCESS_LOG: 'false',
    ...options.env,
  };
  const onLine = (line: string) => void process.stderr.write(`  ${line}\n`);
  const child = run({ name: 'edge', command: process.execPath, args: [options.program ?? built('edge')], env, onLine });
  const state = { isRunning: true };
  void child.exited.then(() => (state.isRunning = false));
  await untilReady('edge', `http://127.0.0.1:${healthPort}/readyz`);
  return {
    ...{ pid: child.pid, httpsPort, httpPort, healthPort },
    sample: () => sampleOf(child.pid),
    isRunning: () => state.isRunning,
    stop: async () => {
      await child.stop();
      api.close();
      api.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function sampleOf(pid: number): EdgeSample {
  const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { rssBytes: Number(rss ?? 0) * 1_024, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

async function platformCertificate(folder: string) {
  const authority = await openAuthority(join(folder, 'authority'));
  return issuePlatformCertificate(authority, ['*.pets.test']);
}

/** Files of every kind of reply: large ones, one that becomes a large compressed reply, a middling and a small one. */
async function deploySites(storageUrl: string, folder: string): Promise<void> {
  const storage = await openFileStorage(storageUrl);
  const index = new Map<string, SiteEntry>();
  const put = async (path: string, content: Buffer) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    await writeFile(join(folder, 'upload'), content);
    await storage.copyFromFs(join(folder, 'upload'), contentKey(sha256));
    index.set(path, { sha256, bytes: content.length });
  };
  await put('index.html', Buffer.from('<h1>Here</h1>'));
  await put('small.bin', randomBytes(15_000));
  await put('medium.bin', randomBytes(200_000));
  await put('large.js', Buffer.from(randomBytes(2_800_000).toString('base64')));
  for (let file = 0; file < LARGE_FILES; file++) await put(`large-${file}.bin`, randomBytes(1_000_000));
  await put('huge.bin', randomBytes(16_000_000));
  for (const hash of Object.values(SITES)) await writeSiteIndex(storage, hash, index);
}

async function serveFeed(): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${TOKEN}`) return void response.writeHead(401).end();
    if (!(request.url ?? '').startsWith('/internal/edge/feed'))
      return void request.resume().once('end', () => response.writeHead(204).end());
    const entries = Object.entries(SITES).map(([host, contentHash]) => ({
      ...{ host, version: 1 },
      route: { answersChallenges: true, serve: { kind: 'site', contentHash }, certificateId: 'platform' },
    }));
    response.writeHead(200, { 'content-type': 'application/x-ndjson' });
    const send = (message: object) => response.write(`${JSON.stringify(message)}\n`);
    send({ kind: 'batch', epoch: 'chaos', after: 0, version: 1, reset: true, entries, thumbprint: 'chaos' });
    const heartbeat = setInterval(() => send({ kind: 'heartbeat', version: 1 }), HEARTBEAT_MS);
    response.once('close', () => clearInterval(heartbeat));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
