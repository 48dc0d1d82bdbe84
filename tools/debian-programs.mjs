/**
 * Programs of Debian that suites need besides npm packages. Root installs them with apt-get. An ordinary user gets them
 * in `node_modules/.cache/debian`: apt downloads them with a state of its own, `dpkg-deb` unpacks them, and a start script,
 * linked from `node_modules/.bin`, sets the path of their libraries. Programs that the machine has are used as they are.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const binFolder = join(root, 'node_modules/.bin');
const cache = join(root, 'node_modules/.cache/debian');
const startScripts = join(cache, 'bin');
const unpacked = join(cache, 'root');

const APT_LIMIT_MS = 5 * 60_000;
const UNPACK_LIMIT_MS = 60_000;

/** A program, the Debian package that contains it, and who needs it. `file`: where it is, if not in a folder of programs. */
const testPrograms = [
  { program: 'redis-server', debianPackage: 'redis-server', suites: 'suites over a real Redis' },
  { program: 'redis-cli', debianPackage: 'redis-tools', suites: 'the suite of the secrets' },
  { program: 'pebble', debianPackage: 'pebble', suites: 'suites with Pebble' },
  { program: 'caddy', debianPackage: 'caddy', suites: 'the suite with Caddy as the gateway' },
  {
    program: 'chromium',
    debianPackage: 'chromium',
    // Debian's start script has fixed paths.
    file: 'usr/lib/chromium/chromium',
    suites: 'the dashboard and the board of queues in a browser',
  },
  { program: 'promtool', debianPackage: 'prometheus', suites: 'the suite of the alert rules' },
  { program: 'pebble-challtestsrv', debianPackage: 'pebble', suites: 'suites with Pebble' },
  { program: 'zsh', debianPackage: 'zsh', suites: 'the suite of completion in Zsh' },
  { program: 'fish', debianPackage: 'fish', suites: 'the suite of completion in fish' },
];

/** Servers that only `npm run interop` needs. */
const interopPrograms = [
  { program: 'pgbouncer', debianPackage: 'pgbouncer', suites: 'suites behind PgBouncer' },
  { program: 'knotd', debianPackage: 'knot', suites: 'the suite of DNS updates with Knot' },
  { program: 'named', debianPackage: 'bind9', suites: 'the suite of DNS updates with BIND' },
];

/** The edge is measured beside them; nothing else needs them. */
const benchPrograms = [
  { program: 'caddy', debianPackage: 'caddy', suites: 'npm run bench -- edge' },
  { program: 'nginx', debianPackage: 'nginx-light', suites: 'npm run bench -- edge' },
  { program: 'taskset', debianPackage: 'util-linux', suites: 'npm run bench -- edge' },
];

export const debianPrograms = {
  test: testPrograms,
  interop: [...testPrograms, ...interopPrograms],
  bench: benchPrograms,
};

/**
 * Installs the programs that are missing. A program that cannot be installed is reported and fails nothing: the suites
 * that need it say so.
 * @param {readonly { program: string, debianPackage: string, file?: string, suites: string }[]} programs
 * @param {(line: string) => void} say
 */
export async function installDebianPrograms(programs, say) {
  const missing = programs.filter(({ program }) => !isInstalled(program));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(({ debianPackage }) => debianPackage))];
  const hasApt = isInstalled('apt-get') && isInstalled('dpkg-deb');
  if (hasApt) {
    say(`installing ${packages.join(', ')} for the suites that need them`);
    await (process.getuid?.() === 0 ? installOnMachine(packages) : installInCache(packages, missing));
  }
  const reason = hasApt ? 'could not be installed' : 'is not installed, and there is no apt-get here to get it with';
  for (const { program, debianPackage, suites } of missing.filter((each) => !isInstalled(each.program))) {
    say(`${program} ${reason} (Debian: ${debianPackage}); needed by ${suites}`);
  }
}

/** Whether it succeeded is seen by whether the programs are there afterwards. */
async function installOnMachine(packages) {
  await withoutStartingServices(async () => {
    await run('apt-get', ['update', '-qq'], APT_LIMIT_MS);
    await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], APT_LIMIT_MS);
  });
}

/** Debian starts a service when its package is installed, unless this file forbids it; ours start their own servers. */
async function withoutStartingServices(install) {
  const policy = '/usr/sbin/policy-rc.d';
  const isOurs = !existsSync(policy);
  if (isOurs) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    await install();
  } finally {
    if (isOurs) rmSync(policy, { force: true });
  }
}

/** Sources and keys are those of the machine, and so are the packages that count as installed already. */
async function installInCache(packages, programs) {
  const [state, archives] = [join(cache, 'state'), join(cache, 'archives')];
  const settings = {
    'Dir::State': state,
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': cache,
    'Dir::Cache::archives': archives,
    'Debug::NoLocking': 'true',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  for (const folder of [join(state, 'lists/partial'), join(archives, 'partial'), unpacked, startScripts, binFolder]) {
    mkdirSync(folder, { recursive: true });
  }
  await run('apt-get', [...options, 'update', '-qq'], APT_LIMIT_MS);
  const download = ['install', '-y', '-qq', '--download-only', '--no-install-recommends', ...packages];
  await run('apt-get', [...options, ...download], APT_LIMIT_MS);
  for (const name of readdirSync(archives).filter((entry) => entry.endsWith('.deb'))) {
    await run('dpkg-deb', ['--extract', join(archives, name), unpacked], UNPACK_LIMIT_MS);
  }
  for (const each of programs) writeStartScript(each);
  for (const folder of [state, archives]) rmSync(folder, { recursive: true, force: true });
}

function writeStartScript({ program, file }) {
  const folders = ['usr/bin', 'usr/sbin', 'bin', 'sbin'];
  const found = [file, ...folders.map((folder) => `${folder}/${program}`)].find(
    (path) => path !== undefined && existsSync(join(unpacked, path)),
  );
  if (found === undefined) return;
  const libraries = ['usr/lib', 'lib'].flatMap((folder) =>
    listFolder(join(unpacked, folder))
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => `$root/${folder}/${name}`),
  );
  const script = [
    '#!/bin/sh',
    'root=$(dirname "$(readlink -f "$0")")/../root',
    `LD_LIBRARY_PATH="${libraries.join(':')}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$root/${found}" "$@"`,
  ];
  const link = join(binFolder, program);
  writeFileSync(join(startScripts, program), `${script.join('\n')}\n`, { mode: 0o755 });
  rmSync(link, { force: true });
  symlinkSync(join('../.cache/debian/bin', program), link);
}

function listFolder(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Resolves when it ended, however it did. */
function run(command, args, timeout) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return new Promise((done) => {
    const child = spawn(command, args, { env, stdio: 'ignore', timeout });
    child.once('error', done);
    child.once('close', done);
  });
}

function isInstalled(program) {
  const env = { ...process.env, PATH: [binFolder, process.env.PATH ?? ''].join(delimiter) };
  const args = ['-c', 'command -v "$1"', 'sh', program];
  return spawnSync('sh', args, { env, stdio: 'ignore', timeout: 5_000 }).status === 0;
}
