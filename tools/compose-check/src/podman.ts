import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '@pets/testing/processes';
import { runCommand, succeeds, type Engine, type EngineEnvironment, type Podman } from './engine.js';
import { baseImageSettings, provideBaseImages } from './stand-ins.js';

const HEALTH_INTERVAL_MS = 1_000;

const LOOK_LIMIT_MS = 30_000;
const BUILD_LIMIT_MS = 30 * 60_000;
const SERVICE_START_LIMIT_MS = 20_000;

/** Our images of docker-compose.yml, each a target of the Dockerfile. */
const targets = ['pets-api', 'domains-worker', 'edge', 'haproxy', 'backup', 'dev-dns', 'pebble'] as const;

/** Layers are kept from run to run, apart from the machine's own images, some of which are only stood in for here. */
const STORAGE_FOLDER = `/var/tmp/pets-compose-check-${process.getuid?.() ?? 0}`;

/**
 * @returns null where podman or docker-compose is missing
 * @throws Error where podman lacks something, saying what to install
 */
export async function openPodman(environment: EngineEnvironment): Promise<Engine | null> {
  const { repositoryRoot, scratch, say } = environment;
  for (const program of ['podman', 'docker-compose']) {
    const look = { cwd: repositoryRoot, env: environment.env, timeoutMs: LOOK_LIMIT_MS };
    if (!(await succeeds(program, ['--version'], look))) return null;
  }
  const missing = missingParts(foldersOfParts(environment.env['PATH'] ?? ''), readMachine());
  if (missing.length > 0) throw new Error(`Podman lacks ${missing.join(', ')}. ${INSTALL_HINT}`);
  const env = { ...environment.env, ...(await writeConfiguration(scratch)) };
  const base = { cwd: repositoryRoot, env };
  await useAStorageDriverThatWorks(scratch, base);
  const podman: Podman = (args, timeoutMs = LOOK_LIMIT_MS) => runCommand('podman', args, { ...base, timeoutMs });
  const socket = join(scratch, 'podman.sock');
  const service = await startService(socket, env);
  const stopHealthChecks = readMachine().hasSystemd ? () => Promise.resolve() : runHealthChecks(podman);
  const client = { ...base, env: { ...env, ...baseImageSettings, DOCKER_HOST: `unix://${socket}` } };
  const isVersion1 = await usesVersion1(client);
  const composeFile = isVersion1 ? await copyComposeFile(client.cwd, scratch) : join(client.cwd, 'docker-compose.yml');
  return {
    name: 'Podman',
    canRun: !isVersion1,
    buildImages: async (environmentFile) => {
      const names = await readImageNames(environmentFile);
      await provideBaseImages({ ...environment, podman });
      say('building the images (minutes, the first time)');
      for (const target of targets) await buildTarget(podman, target, names);
    },
    compose: (environmentFile, args, { alsoFile, ...options }) => {
      const files = [composeFile, ...(alsoFile === undefined ? [] : [alsoFile])].flatMap((file) => ['--file', file]);
      const where = ['--env-file', environmentFile, ...files, '--project-directory', repositoryRoot];
      const withoutBuild = args[0] === 'up' ? ['up', '--no-build', ...args.slice(1)] : args;
      return runCommand('docker-compose', [...where, ...withoutBuild], { ...client, ...options });
    },
    close: async () => {
      await stopHealthChecks();
      await stopService(service);
    },
  };
}

/** @returns the variables that make Podman read its configuration */
async function writeConfiguration(scratch: string): Promise<Record<string, string>> {
  const containers = join(scratch, 'containers.conf');
  await writeFile(containers, containersConfiguration(readMachine()));
  return { CONTAINERS_CONF: containers, CONTAINERS_STORAGE_CONF: join(scratch, 'storage.conf') };
}

/** `vfs` copies every layer whole, which is slow and big, and works everywhere. */
async function useAStorageDriverThatWorks(
  scratch: string,
  base: { cwd: string; env: Record<string, string> },
): Promise<void> {
  for (const driver of ['overlay', 'vfs']) {
    const graphroot = join(STORAGE_FOLDER, driver);
    await mkdir(graphroot, { recursive: true, mode: 0o700 });
    // Podman remembers both folders in the first, and wants to find the same again.
    const runroot = join(STORAGE_FOLDER, `${driver}-run`);
    const lines = ['[storage]', `driver = "${driver}"`, `graphroot = "${graphroot}"`, `runroot = "${runroot}"`, ''];
    await writeFile(join(scratch, 'storage.conf'), lines.join('\n'));
    if (await succeeds('podman', ['info'], { ...base, timeoutMs: LOOK_LIMIT_MS })) return;
  }
  await runCommand('podman', ['info'], { ...base, timeoutMs: LOOK_LIMIT_MS }); // fails again, and says why
}

async function startService(socket: string, env: Record<string, string>): Promise<ChildProcess> {
  const service = spawn('podman', ['system', 'service', '--time=0', `unix://${socket}`], { env, stdio: 'ignore' });
  await waitUntil(() => existsSync(socket), { timeoutMs: SERVICE_START_LIMIT_MS, message: 'the service of podman' });
  return service;
}

async function stopService(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
}

/** Whether docker-compose is that of Debian. */
async function usesVersion1(client: { cwd: string; env: Record<string, string> }): Promise<boolean> {
  const version = await runCommand('docker-compose', ['version', '--short'], { ...client, timeoutMs: LOOK_LIMIT_MS });
  return /^v?1\./.test(version);
}

/** Version 1 does not know the line that names the project. */
async function copyComposeFile(root: string, scratch: string): Promise<string> {
  const copy = join(scratch, 'docker-compose.yml');
  await writeFile(copy, (await readFile(join(root, 'docker-compose.yml'), 'utf8')).replace(/^name: .*\n/m, ''));
  return copy;
}

interface ImageNames {
  readonly images: string;
  readonly version: string;
}

async function readImageNames(environmentFile: string): Promise<ImageNames> {
  const text = await readFile(environmentFile, 'utf8');
  const valueOf = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(text)?.[1];
  return { images: valueOf('IMAGES') ?? 'pets', version: valueOf('VERSION') ?? '1.0.0' };
}

/**
 * Arguments of an image build. Podman builds under the names that compose looks for: without a daemon there is no
 * builder that compose could ask.
 */
function buildArguments(version: string): string[] {
  const { NODE_IMAGE, POSTGRES_IMAGE } = baseImageSettings;
  return Object.entries({ VERSION: version, NODE_IMAGE, POSTGRES_IMAGE }).flatMap(([name, value]) => [
    '--build-arg',
    `${name}=${value}`,
  ]);
}

async function buildTarget(podman: Podman, target: string, { images, version }: ImageNames): Promise<void> {
  const name = `docker.io/${images}/${target}:${version}`;
  const how = ['--format', 'docker', '--isolation', 'chroot', '--network', 'host'];
  await podman(['build', ...how, '--target', target, '--tag', name, ...buildArguments(version), '.'], BUILD_LIMIT_MS);
}

/**
 * Runs the health checks of all containers, over and over: Podman leaves that to timers of systemd, and where there is
 * no systemd nothing would ever become healthy.
 * @returns how to stop it
 */
function runHealthChecks(podman: Podman): () => Promise<void> {
  const stop = new AbortController();
  const looking = (async () => {
    while (!stop.signal.aborted) {
      const ids = await podman(['ps', '--quiet']).catch(() => '');
      for (const id of ids.split('\n').filter((line) => line !== '')) {
        await podman(['healthcheck', 'run', id]).catch(() => undefined); // the state of the container says so
      }
      await sleep(HEALTH_INTERVAL_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stop.abort();
    await looking;
  };
}

export interface Machine {
  readonly hasSystemd: boolean;
  /** Controllers of cgroup v2 where it is mounted beside cgroup v1; empty where only one version is in use. */
  readonly hybridControllers: string;
}

const HYBRID_CONTROLLERS_PATH = '/sys/fs/cgroup/unified/cgroup.controllers';

function readMachine(): Machine {
  return {
    hasSystemd: existsSync('/run/systemd/system'),
    hybridControllers: existsSync(HYBRID_CONTROLLERS_PATH) ? readFileSync(HYBRID_CONTROLLERS_PATH, 'utf8').trim() : '',
  };
}

/**
 * Text of `containers.conf`: limits that a container may have where raising them is not allowed, no systemd where there is
 * none, and another runtime where crun, the default, refuses to start ("cgroups in hybrid mode not supported").
 */
export function containersConfiguration({ hasSystemd, hybridControllers }: Machine): string {
  return [
    '[containers]',
    'default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]',
    '[engine]',
    ...(hasSystemd ? [] : ['cgroup_manager = "cgroupfs"', 'events_logger = "file"']),
    ...(hybridControllers === '' ? [] : ['runtime = "runc"']),
    '',
  ].join('\n');
}

export const INSTALL_HINT =
  'On Debian: apt-get install podman docker-compose netavark aardvark-dns iptables debootstrap runc';

/** Folders in which Podman looks for the programs that it starts, besides PATH. */
const fixedFolders = [
  ...['/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/bin', '/sbin'],
  ...['/usr/local/libexec/podman', '/usr/local/lib/podman', '/usr/libexec/podman', '/usr/lib/podman'],
];

function foldersOfParts(path: string): string[] {
  return [...path.split(delimiter), ...fixedFolders];
}

/** Programs without which Podman starts and its containers do not: their packages are only recommended by its own. */
export function missingParts(folders: readonly string[], { hybridControllers }: Machine): string[] {
  const isFound = (program: string) => folders.some((folder) => existsSync(join(folder, program)));
  // `containersConfiguration` says why it is runc there.
  const runtimes = hybridControllers === '' ? ['crun', 'runc'] : ['runc'];
  const needed = [runtimes, ['netavark'], ['aardvark-dns']];
  return needed.filter((programs) => !programs.some(isFound)).map((programs) => programs.join(' or '));
}
