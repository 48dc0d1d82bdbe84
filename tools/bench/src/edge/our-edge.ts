import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PLATFORM_DOMAIN, startEdgeAlone } from '@pets/lab';
import { openFileStorage } from '@pets/platform';
import { compileRules, contentKey, ruleLimits, writeSiteIndex } from '@pets/sites';
import { on, SERVER_PROCESSOR } from '../engine/processes.js';
import { BATCH, batchFolder, issueAuthority } from './certificate-set.js';
import type { Contestant, Ground, Serving } from './contestant.js';
import { CONTENT_HASH, EDGE_TOKEN, openFeedFixture, routesOf } from './feed-fixture.js';

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

/** The same with as many rules as a site can have. */
export const ourEdgeWithRules: Contestant = {
  name: 'ours with rules',
  mostNames: Infinity,
  start: async (ground, names, env) => {
    const folder = join(ground.folder, 'with-rules');
    mkdirSync(folder, { recursive: true });
    return ourEdge.start({ ...ground, folder, rules: manyRules() }, names, env);
  },
};

function manyRules(): Buffer {
  const redirects = [
    ...Array.from({ length: ruleLimits.staticRedirects }, (_, at) => `/old-${at} /new-${at}`),
    ...Array.from(
      { length: ruleLimits.dynamicRedirects },
      (_, at) => `/blog-${at}/:year/* /news-${at}/:splat?year=:year`,
    ),
  ];
  const headers = ['/*', ...Array.from({ length: ruleLimits.headerRules - 1 }, (_, at) => `/folder-${at}/*`)];
  const compiled = compileRules(
    { redirects: redirects.join('\n'), headers: headers.map((path) => `${path}\n  X-Frame-Options: DENY`).join('\n') },
    new Set(['index.html']),
  );
  if (!('encoded' in compiled) || compiled.encoded === undefined) throw new Error('the rules cannot be applied');
  return compiled.encoded;
}

/** Starts it with an existing data folder: with the snapshot of a run that was killed, this is a restart. */
export async function startOurEdge(
  ground: Ground,
  names: number,
  dataFolder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const storageUrl = await deploy(ground);
  const fixture = await openFeedFixture(ground.set.folder, ground.routes ?? routesOf(names), storageUrl);
  const edge = await startEdgeAlone({
    ...edgeOptions(ground),
    apiUrl: fixture.url,
    storageUrl,
    dataFolder,
    settings: more,
    logFile: join(ground.folder, 'edge.log'),
    // All servers have one processor.
    wrap: (command) => on(SERVER_PROCESSOR, command).flat(),
  });
  return {
    pid: edge.pid,
    port: edge.httpsPort,
    stop: async () => {
      await edge.stop();
      await fixture.close();
    },
  };
}

/** Options of every edge of the benchmarks. */
export function edgeOptions(ground: Ground) {
  const platform = issueAuthority(`*.${PLATFORM_DOMAIN}`); // required to start; nobody requests it
  return {
    token: EDGE_TOKEN,
    keks: ground.set.keks,
    certificatePem: platform.certificatePem,
    keyPem: platform.keyPem,
    onLine: warn,
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
export async function deploy({ folder, siteFolder, rules }: Ground): Promise<string> {
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
    rules,
  );
  return url;
}

function warn(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
