import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePort } from '@pets/dev-stack';
import { contentKey, openFileStorage, writeSiteIndex } from '@pets/platform';
import { built, run } from '../engine/programs.js';
import { BATCH, batchFolder } from './certificate-set.js';
import type { Contestant, Ground, Serving } from './contestant.js';
import { CONTENT_HASH, EDGE_TOKEN, openFeedFixture } from './feed-fixture.js';
import { issueAuthority } from './leaf-certificate.js';
import { on, SERVER_PROCESSOR } from '../engine/processes.js';
import { edgeSettings } from '../settings.js';

/**
 * Our edge as it is built, with everything switched on: a log line for each request, metrics, limits. Its certificates
 * are on its disk as an earlier run would have left them; its routes come from the feed.
 */
export const ourEdge: Contestant = {
  name: 'ours',
  mostNames: Infinity,
  start: async (ground, names, env) => {
    const dataFolder = join(ground.folder, `edge-${names}`);
    await rm(dataFolder, { recursive: true, force: true });
    linkCertificates(ground.set.folder, join(dataFolder, 'cache', 'certificates'), names);
    writeFileSync(join(dataFolder, 'format'), '1\n'); // the edge's own, whose certificates these could be
    return startOurEdge(ground, names, dataFolder, env);
  },
};

/** Starts it with an existing data folder: with the snapshot of a run that was killed, this is a restart. */
export async function startOurEdge(
  ground: Ground,
  names: number,
  dataFolder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const storageUrl = await deploy(ground);
  const fixture = await openFeedFixture(ground.set.folder, names, storageUrl);
  const port = await freePort();
  const env = {
    ...(await environment(ground, port)),
    API_URL: fixture.url,
    STORAGE_URL: storageUrl,
    EDGE_DATA_DIR: dataFolder,
    ...more,
  };
  const node = [process.execPath, ...profiling(), built('edge')];
  const [command, args] = on(SERVER_PROCESSOR, node);
  // Its log goes to a file, as that of a service does, and not to the measuring process.
  const shell = ['-c', 'log="$1"; shift; exec "$@" >>"$log"', 'sh', join(ground.folder, 'edge.log'), command, ...args];
  const child = run({ name: 'edge', command: 'sh', args: shell, env, onLine: warn });
  return {
    pid: child.pid,
    port,
    stop: async () => {
      await child.stop();
      await fixture.close();
    },
  };
}

/** The environment of an edge, without its API, its storage and its data folder. */
export async function environment(ground: Ground, port: number) {
  const platform = issueAuthority('*.pets.localhost'); // required to start; nobody requests it
  return {
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    HOST: '127.0.0.1',
    EDGE_HTTP_PORT: String(await freePort()),
    EDGE_HTTPS_PORT: String(port),
    HEALTH_PORT: String(await freePort()),
    EDGE_TOKEN,
    CERTIFICATE_KEKS: ground.set.keks,
    PLATFORM_DOMAIN: 'pets.localhost',
    PLATFORM_CERTIFICATE: platform.certificatePem,
    PLATFORM_KEY: platform.keyPem,
    // All servers have one processor (`SERVER_PROCESSOR`).
    EDGE_PROCESSES: '1',
  };
}

/** Hard links: the edge replaces and deletes files by name, so the set does not change. */
function linkCertificates(set: string, folder: string, names: number): void {
  for (let shard = 0; shard < 256; shard++)
    mkdirSync(join(folder, shard.toString(16).padStart(2, '0')), { recursive: true, mode: 0o700 });
  for (let batch = 0; batch < Math.ceil(names / BATCH); batch++) {
    const from = batchFolder(set, 'sealed', batch);
    for (const file of readdirSync(from)) linkSync(join(from, file), join(folder, file.slice(0, 2), file));
  }
}

/** @returns the storage's URL */
export async function deploy({ folder, siteFolder }: Ground): Promise<string> {
  const url = pathToFileURL(join(folder, 'files')).href;
  const path = join(siteFolder, 'index.html');
  const content = await readFile(path);
  const sha256 = createHash('sha256').update(content).digest('hex');
  const storage = await openFileStorage(url);
  await storage.copyFromFs(path, contentKey(sha256));
  await writeSiteIndex(
    storage,
    CONTENT_HASH,
    new Map([['index.html', { sha256, bytes: content.length, freshness: 'revalidated' }]]),
  );
  return url;
}

export function profiling(): string[] {
  const { PROFILE: folder } = edgeSettings;
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

function warn(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
