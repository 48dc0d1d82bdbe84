/**
 * Programs of Debian that suites need besides npm packages. Those that the machine lacks are unpacked below
 * `node_modules/.cache/debian` and linked from `node_modules/.bin`, for root too: nothing is installed into the system.
 */
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { binFolder, cache, UNPACKING, unpackPackages } from './debian-packages.mjs';
import { isOnMachine } from './machine.mjs';
import { during, say } from './progress.mjs';

/** A program, the Debian package that contains it, and who needs it. `file`: where it is, if not in a folder of programs. */
const testPrograms = [
  { program: 'redis-server', debianPackage: 'redis-server', suites: 'suites over a real Redis' },
  { program: 'redis-cli', debianPackage: 'redis-tools', suites: 'the suite of the secrets' },
  { program: 'pebble', debianPackage: 'pebble', suites: 'suites with Pebble' },
  { program: 'caddy', debianPackage: 'caddy', suites: 'suites with Caddy as the gateway and as an application' },
  { program: 'nginx', debianPackage: 'nginx-light', suites: 'the suite with nginx as an application' },
  {
    // Chromium without its windows, which needs a third of the processor time of `chromium --headless`.
    program: 'chromium-headless-shell',
    debianPackage: 'chromium-headless-shell',
    // Debian's start script has fixed paths.
    file: 'usr/lib/chromium/chromium-headless-shell',
    suites: 'the dashboard and the board of queues in a browser',
  },
  { program: 'promtool', debianPackage: 'prometheus', suites: 'the suite of the alert rules' },
  { program: 'pebble-challtestsrv', debianPackage: 'pebble', suites: 'suites with Pebble' },
  { program: 'curl', debianPackage: 'curl', suites: 'suites that run commands of the pages' },
  { program: 'zsh', debianPackage: 'zsh', suites: 'the suite of completion in Zsh' },
  { program: 'fish', debianPackage: 'fish', suites: 'the suite of completion in fish' },
];

/** Servers, archivers and site generators that only `npm run interop` needs. */
const interopPrograms = [
  { program: 'pgbouncer', debianPackage: 'pgbouncer', suites: 'suites behind PgBouncer' },
  { program: 'knotd', debianPackage: 'knot', suites: 'the suite of DNS updates with Knot' },
  { program: 'named', debianPackage: 'bind9', suites: 'the suite of DNS updates with BIND' },
  { program: 'bsdtar', debianPackage: 'libarchive-tools', suites: 'the suite of archives' },
  { program: 'zip', debianPackage: 'zip', suites: 'the suite of archives' },
  // Debian's start script has a fixed path.
  { program: '7z', debianPackage: 'p7zip-full', file: 'usr/lib/p7zip/7z', suites: 'the suite of archives' },
  { program: 'mkdocs', debianPackage: 'mkdocs', suites: 'the suite of generated sites' },
  { program: 'sphinx-build', debianPackage: 'python3-sphinx', suites: 'the suite of generated sites' },
  { program: 'hugo', debianPackage: 'hugo', suites: 'the suite of generated sites' },
];

/** Programs of benchmarks and fault injection: servers that ours are measured with or beside, and what measures. */
const benchPrograms = [
  ...testPrograms.filter(({ program }) => ['redis-server', 'pebble', 'caddy', 'nginx'].includes(program)),
  {
    program: 'chromium',
    debianPackage: 'chromium',
    file: 'usr/lib/chromium/chromium',
    suites: 'npm run bench -- dashboard, in the browser that people use',
  },
  { program: 'strace', debianPackage: 'strace', suites: 'npm run bench -- quick' },
  { program: 'taskset', debianPackage: 'util-linux', suites: 'npm run bench -- edge' },
  { program: 'chrt', debianPackage: 'util-linux', suites: 'npm run bench -- edge' },
  { program: 'unshare', debianPackage: 'util-linux', suites: 'npm run chaos' },
  { program: 'nsenter', debianPackage: 'util-linux', suites: 'npm run chaos' },
];

export const debianPrograms = {
  test: testPrograms,
  interop: [...testPrograms, ...interopPrograms],
  bench: benchPrograms,
};

/** @typedef {{ program: string, debianPackage: string, file?: string, suites: string }} DebianProgram */

/** Whether each is on the machine, or linked. @param {readonly DebianProgram[]} programs */
export function hasPrograms(programs) {
  return programs.every(({ program }) => isOnMachine(program) || existsSync(join(binFolder, program)));
}

/**
 * Gets the programs that the machine lacks. A program that cannot be had is reported and fails nothing: the suites that
 * need it say so.
 * @param {readonly DebianProgram[]} programs
 */
export async function getPrograms(programs) {
  const missing = programs.filter(({ program }) => !isOnMachine(program));
  const unknown = missing.filter(({ program }) => !link(program));
  if (unknown.length === 0) return;
  const hasApt = ['apt-get', 'dpkg-deb'].every(isOnMachine);
  let failure = 'there is no apt-get here to get it with';
  if (hasApt) {
    const packages = [...new Set(unknown.map(({ debianPackage }) => debianPackage))];
    const label = `unpacking ${packages.join(', ')} for the suites that need them`;
    failure = await during(label, () => unpackPackages(packages, unknown));
  }
  for (const { program, debianPackage, suites } of unknown.filter((each) => !link(each.program))) {
    say(
      `${program} (Debian: ${debianPackage}) is needed by ${suites}, but ${failure ?? 'the package has no such program'}`,
    );
  }
  deleteUnlinked();
}

/** Links again what was unpacked before an install, which replaces the folder of links. */
export function linkPrograms() {
  const known = [...debianPrograms.interop, ...debianPrograms.bench];
  for (const { program } of known.filter((each) => !isOnMachine(each.program))) link(program);
}

/** Links a program that was unpacked, or is where an ordinary user does not look. @returns whether there is one */
function link(program) {
  const whole = unpackedFolders().filter((name) => !name.endsWith(UNPACKING));
  const folder = whole.find((name) => existsSync(join(cache, name, 'bin', program)));
  const unpacked = folder && join('../.cache/debian', folder, 'bin', program);
  const target =
    ['/usr/sbin', '/sbin'].map((place) => join(place, program)).find((path) => existsSync(path)) ?? unpacked;
  if (target === undefined) return false;
  mkdirSync(binFolder, { recursive: true });
  rmSync(join(binFolder, program), { force: true });
  symlinkSync(target, join(binFolder, program));
  return true;
}

/** Deletes folders that no link leads to: they are of an older version of us, or of a set-up that was killed. */
function deleteUnlinked() {
  const links = readdirSync(binFolder, { withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink())
    .map(({ name }) => readlinkSync(join(binFolder, name)));
  for (const name of unpackedFolders()) {
    if (!links.some((path) => path.startsWith(`../.cache/debian/${name}/`))) {
      rmSync(join(cache, name), { recursive: true, force: true });
    }
  }
}

function unpackedFolders() {
  return existsSync(cache) ? readdirSync(cache) : [];
}
