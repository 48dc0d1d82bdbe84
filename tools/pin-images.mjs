/**
 * Brings the digests of base images up to date: run by `npm run images:pin`, where Docker Hub can be reached. Each
 * `name:tag@sha256:…` in the files below keeps its tag and gets the digest that the tag has now, of all platforms together.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const files = ['Dockerfile', 'docker-compose.yml'];
const root = join(import.meta.dirname, '..');
const pinned = /\b([a-z0-9]+):([\w.-]+)@sha256:[0-9a-f]{64}/g;
const LIMIT_MS = 30_000;

/** Indexes of several platforms come first, so that the digest is not that of this machine's. */
const accept = 'application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.list.v2+json';

const known = new Map();
for (const file of files) {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  for (const [, name, tag] of text.matchAll(pinned)) {
    const image = `${name}:${tag}`;
    if (!known.has(image)) known.set(image, await digestOf(name, tag));
  }
  writeFileSync(
    path,
    text.replaceAll(pinned, (_, name, tag) => `${name}:${tag}@${known.get(`${name}:${tag}`)}`),
  );
}
for (const [image, digest] of known) process.stdout.write(`${image} ${digest}\n`);

async function digestOf(name, tag) {
  const repository = `library/${name}`;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const scope = `service=registry.docker.io&scope=repository:${repository}:pull`;
  const granted = await fetch(`https://auth.docker.io/token?${scope}`, { signal });
  if (!granted.ok) throw new Error(`no token for ${repository}: HTTP ${granted.status}`);
  const { token } = await granted.json();
  const headers = { accept, authorization: `Bearer ${token}` };
  const answer = await fetch(`https://registry-1.docker.io/v2/${repository}/manifests/${tag}`, {
    method: 'HEAD',
    headers,
    signal,
  });
  const digest = answer.headers.get('docker-content-digest') ?? '';
  if (!answer.ok || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(`no digest of ${name}:${tag}: HTTP ${answer.status}`);
  return digest;
}
