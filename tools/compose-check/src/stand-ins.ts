/**
 * Base images where no registry of images can be reached: made from Debian's packages, tagged with the names that our
 * files use, in a storage of their own. Each is pulled first; the stand-in is for where that fails.
 */
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { runCommand, type EngineEnvironment, type Podman } from './engine.js';

const PULL_LIMIT_MS = 5 * 60_000;
const MAKE_LIMIT_MS = 15 * 60_000;

const DEBIAN = 'localhost/pets-stand-in/debian:bookworm';

/** A stand-in has a name and cannot have the digest that the files ask for: for Podman the names count alone. */
export const baseImageSettings = {
  NODE_IMAGE: 'docker.io/library/node:24-bookworm-slim',
  POSTGRES_IMAGE: 'docker.io/library/postgres:18',
  REDIS_IMAGE: 'docker.io/library/redis:7',
} as const;

const bases = [
  { image: baseImageSettings.NODE_IMAGE, file: 'node.Dockerfile' },
  { image: baseImageSettings.POSTGRES_IMAGE, file: 'servers.Dockerfile' },
  { image: baseImageSettings.REDIS_IMAGE, file: 'servers.Dockerfile' },
] as const;

export interface BaseImageSources extends EngineEnvironment {
  readonly podman: Podman;
}

export async function provideBaseImages(sources: BaseImageSources): Promise<void> {
  const { podman, say } = sources;
  for (const { image, file } of bases) {
    if (await isThere(podman, image)) continue;
    const pulled = await podman(['pull', '--quiet', image], PULL_LIMIT_MS).then(
      () => true,
      () => false,
    );
    if (pulled) continue;
    say(`${image} cannot be pulled: a stand-in is made from Debian's packages`);
    if (!(await isThere(podman, DEBIAN))) await makeDebian(sources);
    const context = await makeContext(sources);
    const how = ['--format', 'docker', '--isolation', 'chroot', '--network', 'host'];
    await podman(['build', ...how, '--file', join(context, file), '--tag', image, context], MAKE_LIMIT_MS);
  }
}

async function isThere(podman: Podman, image: string): Promise<boolean> {
  return podman(['image', 'exists', image]).then(
    () => true,
    () => false,
  );
}

async function makeDebian({ podman, repositoryRoot, env, scratch }: BaseImageSources): Promise<void> {
  const root = join(scratch, 'debian');
  const archive = join(scratch, 'debian.tar');
  const options = { cwd: repositoryRoot, env, timeoutMs: MAKE_LIMIT_MS };
  await runCommand('debootstrap', ['--variant=minbase', '--include=ca-certificates', 'bookworm', root], options);
  await runCommand('tar', ['-C', root, '-cf', archive, '.'], options);
  await podman(['import', '--quiet', archive, DEBIAN], MAKE_LIMIT_MS);
}

/** Copies what the stand-ins need from this machine: its Node and npm, and how it gets at packages. */
async function makeContext({ repositoryRoot, npmCli, scratch }: BaseImageSources): Promise<string> {
  const context = join(scratch, 'stand-ins');
  await mkdir(join(context, 'apt'), { recursive: true });
  await cp(join(repositoryRoot, 'tools/compose-check/stand-ins'), context, { recursive: true });
  await cp(process.execPath, join(context, 'node'), { dereference: true });
  await cp(dirname(dirname(npmCli)), join(context, 'npm'), { recursive: true, dereference: true });
  await cp('/etc/ssl/certs/ca-certificates.crt', join(context, 'ca-certificates.crt'), { dereference: true });
  for (const name of ['sources.list', 'sources.list.d', 'apt.conf.d']) {
    await cp(join('/etc/apt', name), join(context, 'apt', name), { recursive: true }).catch(ignoreMissing);
  }
  return context;
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
