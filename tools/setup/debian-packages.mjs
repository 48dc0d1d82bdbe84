/**
 * Unpacks Debian packages into a folder, with the packages that they depend on and the machine lacks. apt works on a state
 * of its own; its sources and keys, and the packages that count as installed already, are those of the machine.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './projects.mjs';
import { run } from './run.mjs';

export const binFolder = join(root, 'node_modules/.bin');
export const cache = join(root, 'node_modules/.cache/debian');

/** Ends the name of a folder that is not whole yet. */
export const UNPACKING = '.unpacking';

const APT_LIMIT_MS = 10 * 60_000;
const UNPACK_LIMIT_MS = 60_000;

/** Their machine's is used: a C library of another version than its loader does not work. */
const left = /^(?:libc6|libc-bin|locales)_/;
/** No program reads them. */
const unread = ['doc', 'icons', 'locale', 'man', 'lintian', 'bug'];

/** Modules of Python in which Debian has written where data of their packages are. */
const withFixedPlaces = ['docutils/__init__.py', 'sphinx/__init__.py'];

/**
 * @param {readonly string[]} packages
 * @param {readonly { program: string, file?: string }[]} programs to which scripts in the folder's `bin` lead
 * @returns why it could not be done; null where it was
 */
export async function unpackPackages(packages, programs) {
  const name = createHash('sha256')
    .update([...packages].sort().join(' '))
    .digest('hex')
    .slice(0, 16);
  const [target, made] = [join(cache, name), join(cache, `${name}${UNPACKING}`)];
  rmSync(made, { recursive: true, force: true });
  mkdirSync(join(made, 'bin'), { recursive: true });
  const failure =
    (await download(join(made, 'apt'), packages)) ?? (await unpack(join(made, 'apt/archives'), join(made, 'root')));
  if (failure !== null) {
    rmSync(made, { recursive: true, force: true });
    return failure;
  }
  rmSync(join(made, 'apt'), { recursive: true });
  prepare(join(made, 'root'));
  for (const program of programs) writeStartScript(made, program);
  // Whole or not at all.
  rmSync(target, { recursive: true, force: true });
  renameSync(made, target);
  return null;
}

async function download(folder, packages) {
  const settings = {
    'Dir::State': join(folder, 'state'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': folder,
    'Dir::Cache::archives': join(folder, 'archives'),
    'Dir::Log': folder,
    'Debug::NoLocking': 'true',
    // The user of apt cannot write into a folder of another one.
    'APT::Sandbox::User': '',
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  for (const path of ['state/lists/partial', 'archives/partial']) mkdirSync(join(folder, path), { recursive: true });
  const apt = (...args) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    return run('apt-get', [...options, ...args], { env, timeout: APT_LIMIT_MS });
  };
  // Its status is no help: a list that cannot be had fails it, and so does a hook for root.
  await apt('update', '-qq');
  const { status, text } = await apt('install', '-y', '-qq', '--download-only', '--no-install-recommends', ...packages);
  return status === 0 ? null : `apt-get cannot download it: ${text.trim().split('\n').at(-1)}`;
}

async function unpack(archives, target) {
  mkdirSync(target);
  for (const name of readdirSync(archives).filter((entry) => entry.endsWith('.deb') && !left.test(entry))) {
    const { status, text } = await run('dpkg-deb', ['--extract', join(archives, name), target], {
      timeout: UNPACK_LIMIT_MS,
    });
    if (status !== 0) return `dpkg-deb cannot unpack ${name}: ${text.trim()}`;
  }
  return null;
}

/** Prepares unpacked packages, in which programs look for some files at fixed places. */
function prepare(unpacked) {
  for (const name of unread) rmSync(join(unpacked, 'usr/share', name), { recursive: true, force: true });
  linkToMachine(unpacked);
  for (const path of withFixedPlaces) makeRelative(join(unpacked, 'usr/lib/python3/dist-packages', path));
  // fish takes the folder above its own, where both of these are.
  if (existsSync(join(unpacked, 'etc')) && existsSync(join(unpacked, 'usr')))
    symlinkSync('../etc', join(unpacked, 'usr/etc'));
  writeFileSync(
    join(unpacked, 'fonts.conf'),
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <include ignore_missing="yes">/etc/fonts/conf.d</include>
</fontconfig>
`,
  );
  // Read before anything else; `-f` concerns what is read after it.
  mkdirSync(join(unpacked, 'zdotdir'));
  writeFileSync(
    join(unpacked, 'zdotdir/.zshenv'),
    `unpacked=\${ZDOTDIR:h}
module_path=($unpacked/usr/lib/*-linux-gnu/zsh/*(/N))
fpath=($unpacked/usr/share/zsh/functions $unpacked/usr/share/zsh/functions/**/*(/N))
[[ -n $PETS_ZSH_NO_RCS ]] && setopt no_rcs
unset unpacked ZDOTDIR PETS_ZSH_NO_RCS
`,
  );
}

/** Makes a module of Python look for the data of its package in the folder that it is in itself. */
function makeRelative(path) {
  if (!existsSync(path)) return;
  const folder = `__file__.rsplit('/usr/lib/', 1)[0] + '/usr/share/`;
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(`'/usr/share/`, folder));
}

/** Makes links into packages that the machine has, and that were not downloaded therefore, lead to these. */
function linkToMachine(unpacked) {
  const entries = readdirSync(unpacked, { recursive: true, withFileTypes: true });
  for (const link of entries.filter((entry) => entry.isSymbolicLink())) {
    const path = join(link.parentPath, link.name);
    const onMachine = join('/', relative(unpacked, resolve(dirname(path), readlinkSync(path))));
    if (existsSync(path) || !existsSync(onMachine)) continue;
    rmSync(path);
    symlinkSync(onMachine, path);
  }
}

function writeStartScript(folder, { program, file }) {
  const unpacked = join(folder, 'root');
  const candidates = ['usr/bin', 'usr/sbin', 'bin', 'sbin'].map((place) => `${place}/${program}`);
  const found = [file, ...candidates].find((path) => path !== undefined && existsSync(join(unpacked, path)));
  if (found === undefined) return;
  const libraries = libraryFolders(unpacked).map((path) => `$root/${path}`);
  const script = [
    '#!/bin/sh',
    'root=$(dirname "$(dirname "$(readlink -f "$0")")")/root',
    `export LD_LIBRARY_PATH="${libraries.join(':')}\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"`,
    'export FONTCONFIG_FILE="$root/fonts.conf"',
    ...(program === 'zsh' ? zshArguments : []),
    ...(isOfPython(join(unpacked, found)) ? [pythonPath] : []),
    `exec "$root/${found}" "$@"`,
  ];
  writeFileSync(join(folder, 'bin', program), `${script.join('\n')}\n`, { mode: 0o755 });
}

function isOfPython(file) {
  return readFileSync(file).subarray(0, 64).toString('latin1').startsWith('#!/usr/bin/python3');
}

const pythonPath = 'export PYTHONPATH="$root/usr/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}"';

/** `-f` would leave out the file that says where modules and functions are. */
const zshArguments = ['export ZDOTDIR="$root/zdotdir"', 'if [ "$1" = -f ]; then shift; export PETS_ZSH_NO_RCS=yes; fi'];

/** Folders with libraries: of the architecture, and those below it that a package has for itself. */
function libraryFolders(unpacked) {
  const bases = ['usr/lib', 'lib'].flatMap((folder) =>
    listFolder(join(unpacked, folder))
      .filter((name) => name.endsWith('-linux-gnu'))
      .map((name) => `${folder}/${name}`),
  );
  const below = bases.flatMap((base) => listFolder(join(unpacked, base)).map((name) => `${base}/${name}`));
  return [
    ...bases,
    ...below.filter((path) => listFolder(join(unpacked, path)).some((name) => /^lib.*\.so/.test(name))),
  ];
}

function listFolder(folder) {
  return existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder) : [];
}
