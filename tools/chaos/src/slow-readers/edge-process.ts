import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processTree } from '@pets/bench/engine';
import { PLATFORM_DOMAIN, serveFeedSessions, startEdgeAlone } from '@pets/lab';
import { issuePlatformCertificate, openAuthority } from '@pets/testing/dev-ca';
import { untilReady } from '@pets/testing/processes';
import { openFileStorage } from '@pets/platform';
import { contentKey, writeSiteIndex, type SiteEntry } from '@pets/sites';

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

export const ATTACKED = `attacked.${PLATFORM_DOMAIN}`;
/** Host that nobody attacks. */
export const OTHER = `other.${PLATFORM_DOMAIN}`;
const TOKEN = 'chaos-edge-token';
const SITES = { [ATTACKED]: 'a77ac4ed', [OTHER]: '07e4' } as const;
const LARGE_FILES = 100;

/** @param settings of the edge */
export async function startEdgeProcess(settings: Readonly<Record<string, string>>): Promise<EdgeProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-slow-readers-'));
  const storageUrl = pathToFileURL(join(folder, 'files')).href;
  const api = await serveFeed(storageUrl);
  await deploySites(storageUrl, folder);
  const platform = await platformCertificate(folder);
  const edge = await startEdgeAlone({
    apiUrl: `http://127.0.0.1:${(api.address() as AddressInfo).port}`, // a TCP server's address is never a path
    token: TOKEN,
    storageUrl,
    dataFolder: join(folder, 'edge'),
    keks: `chaos:${randomBytes(32).toString('base64')}`,
    certificatePem: platform.certificatePem,
    keyPem: platform.privateKeyPem,
    settings: { EDGE_ACCESS_LOG: 'false', ...settings },
    onLine: (line) => void process.stderr.write(`  ${line}\n`),
  });
  const state = { isRunning: true };
  void edge.exited.then(() => (state.isRunning = false));
  await untilReady({ name: 'edge', readyUrl: `http://127.0.0.1:${edge.healthPort}/readyz` });
  return {
    ...edge,
    sample: () => sampleOf(processTree(edge.pid)),
    isRunning: () => state.isRunning,
    stop: async () => {
      await edge.stop();
      api.close();
      api.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Samples all processes of the edge. */
function sampleOf(pids: readonly number[]): EdgeSample {
  const rssOf = (pid: number) => /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    rssBytes: sum(pids.map((pid) => Number(rssOf(pid) ?? 0) * 1_024)),
    descriptors: sum(pids.map((pid) => readdirSync(`/proc/${pid}/fd`).length)),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function platformCertificate(folder: string) {
  const authority = await openAuthority(join(folder, 'authority'));
  return issuePlatformCertificate(authority, [`*.${PLATFORM_DOMAIN}`]);
}

/** Files of every kind of reply: large ones, one that becomes a large compressed reply, a middling and a small one. */
async function deploySites(storageUrl: string, folder: string): Promise<void> {
  const storage = await openFileStorage(storageUrl);
  const index = new Map<string, SiteEntry>();
  const put = async (path: string, content: Buffer) => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    await writeFile(join(folder, 'upload'), content);
    await storage.copyFromFs(join(folder, 'upload'), contentKey(sha256));
    index.set(path, { sha256, bytes: content.length, freshness: 'revalidated' });
  };
  await put('index.html', Buffer.from('<h1>Here</h1>'));
  await put('small.bin', randomBytes(15_000));
  await put('medium.bin', randomBytes(200_000));
  await put('large.js', Buffer.from(randomBytes(2_800_000).toString('base64')));
  for (let file = 0; file < LARGE_FILES; file++) await put(`large-${file}.bin`, randomBytes(1_000_000));
  await put('huge.bin', randomBytes(16_000_000));
  for (const hash of Object.values(SITES)) await writeSiteIndex(storage, hash, index);
}

async function serveFeed(storageUrl: string): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(204).end()); // deregistrations
  });
  const routes = new Map(Object.entries(SITES).map(([host, contentHash]) => [host, routeTo(contentHash)]));
  await serveFeedSessions(server, { epoch: 'chaos', token: TOKEN, storageUrl, routes });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Returns a route with the platform certificate, so that the edge fetches none. */
function routeTo(contentHash: string) {
  return { answersChallenges: true, serve: { kind: 'site', contentHash }, certificateId: 'platform' } as const;
}
