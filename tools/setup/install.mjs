/**
 * Installs the dependencies of a group of projects: `start`, or `all`, which also has what only checks, benches and pages
 * of the documentation need. An installation that has everything keeps it.
 *
 * An install is staged in a folder of its own and then takes the place of node_modules, so that one which is interrupted
 * leaves what was there. npm works there on copies of the package files, for `start` without what that does not need.
 */
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stagingFolder } from './lock.mjs';
import { during } from './progress.mjs';
import { allProjects, projectsByName, readManifest, root, startProjects } from './projects.mjs';
import { runNpm } from './run.mjs';
import { dependenciesHash, readStamp, removeStamp, writeStamp } from './stamp.mjs';

const INSTALL_LIMIT_MS = 15 * 60_000;
const REGISTRY = 'https://registry.npmjs.org';
const hiddenLockfile = 'node_modules/.package-lock.json';

/** Development dependencies that programs are built with; all others are for checks. */
const isForBuild = (name) => name.startsWith('@types/') || ['@typescript/native', 'tslib', 'vite'].includes(name);

/** @param {'start' | 'all'} group */
export function isInstalled(group) {
  const stamp = readStamp();
  const isOfGroup = stamp.group === 'all' || stamp.group === group;
  return isOfGroup && stamp.dependencies === dependenciesHash() && missingPackages().length === 0;
}

/** Folders of packages that were installed and are gone: somebody deleted them, or npm did for another set of packages. */
export function missingPackages() {
  const { installed = [], dependencies } = readStamp();
  if (dependencies !== dependenciesHash()) return []; // others are needed now
  return installed.filter((path) => !existsSync(join(root, path, 'package.json')));
}

/** @param {'start' | 'all'} group @returns why it could not be done; null where it was */
export async function install(group) {
  const stamp = readStamp();
  // By `npm install`, and so completely: npm compares what is there with the package files.
  const isOfNpm = existsSync(join(root, hiddenLockfile)) && stamp.packages !== packagesTime(root);
  const wanted = isOfNpm || stamp.group === 'all' ? 'all' : group;
  const label = wanted === 'all' ? 'installing all dependencies' : 'installing dependencies';
  const { status, text } = await during(label, () => (isOfNpm ? installInPlace() : installStaged(wanted)));
  if (status === 0) return null;
  return `npm install failed. Run "npm install" when this is corrected:\n${text}`;
}

async function installInPlace() {
  const dependencies = dependenciesHash();
  const result = await installPackages(root);
  if (result.status === 0) writeStamp({ dependencies, group: 'all', ...describePackages(root) });
  return result;
}

async function installStaged(group) {
  const dependencies = dependenciesHash();
  const projects = group === 'all' ? allProjects() : startProjects();
  stageManifests(group, projects);
  const result = await installPackages(stagingFolder);
  if (result.status !== 0) return result;
  if (group === 'start') deleteUnread(join(stagingFolder, 'node_modules'));
  // npm reads a tree again that is newer than this file.
  const now = new Date();
  utimesSync(join(stagingFolder, hiddenLockfile), now, now);
  writeStamp({ dependencies, group, ...describePackages(stagingFolder) }, join(stagingFolder, 'node_modules'));
  takePlace();
  return result;
}

function stageManifests(group, projects) {
  const { devDependencies, scripts, overrides, ...manifest } = readManifest('.');
  const isAll = group === 'all';
  stageJson('package.json', {
    ...manifest,
    workspaces: projects,
    devDependencies: isAll ? devDependencies : only(devDependencies, isForBuild),
    ...(isAll && { overrides }),
  });
  const ours = projectsByName();
  for (const folder of projects) {
    const project = readManifest(folder);
    const needed = isAll
      ? project.devDependencies
      : only(project.devDependencies, (name) => isForBuild(name) || ours.has(name));
    stageJson(join(folder, 'package.json'), { ...project, scripts: undefined, devDependencies: needed });
    for (const path of Object.values(project.bin ?? {}))
      cpSync(join(root, folder, path), join(stagingFolder, folder, path));
  }
  stageJson('package-lock.json', withAddresses(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))));
  if (existsSync(join(root, '.npmrc'))) copyFileSync(join(root, '.npmrc'), join(stagingFolder, '.npmrc'));
}

/**
 * Adds the address of each archive: without it npm asks the registry about each package first, which takes longer than
 * the rest.
 */
function withAddresses(lock) {
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (entry.integrity === undefined || entry.resolved !== undefined) continue;
    const name = entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    // npm puts the registry of its settings in the place of this one.
    entry.resolved = `${REGISTRY}/${name}/-/${name.split('/').at(-1)}-${entry.version}.tgz`;
  }
  return lock;
}

function describePackages(folder) {
  const { packages } = JSON.parse(readFileSync(join(folder, hiddenLockfile), 'utf8'));
  return { packages: packagesTime(folder), installed: Object.keys(packages) };
}

/** npm writes this file whenever it installs. */
function packagesTime(folder) {
  return statSync(join(folder, hiddenLockfile)).mtimeMs;
}

/** Headers for native modules, of which we compile none, and maps of packages' sources: a fifth of the whole. */
function deleteUnread(modules) {
  for (const name of readdirSync(modules)) {
    if (/^node-linux-/.test(name)) rmSync(join(modules, name, 'include'), { recursive: true, force: true });
  }
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && /\.(?:js|cjs|mjs|ts|mts|cts|css)\.map$/.test(entry.name))
      rmSync(join(entry.parentPath, entry.name));
  }
}

/** Moves the installed packages into place. What node_modules kept besides packages stays. */
function takePlace() {
  removeStamp(); // from here on, what is there is of two installs
  for (const folder of allProjects()) {
    const modules = join(folder, 'node_modules');
    rmSync(join(root, modules), { recursive: true, force: true });
    if (existsSync(join(stagingFolder, modules))) renameSync(join(stagingFolder, modules), join(root, modules));
  }
  const [current, staged] = [join(root, 'node_modules'), join(stagingFolder, 'node_modules')];
  if (existsSync(join(current, '.cache'))) renameSync(join(current, '.cache'), join(staged, '.cache'));
  if (existsSync(current)) renameSync(current, join(stagingFolder, 'replaced'));
  renameSync(staged, current);
}

/**
 * `npm ci` would refuse the lockfile where an optional package of another platform cannot be had. Warnings about engines
 * concern the Node that runs npm now, not the one that comes with the install and runs everything else.
 */
function installPackages(cwd) {
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev', '--include=optional'];
  return runNpm(args, { cwd, timeout: INSTALL_LIMIT_MS });
}

function stageJson(path, content) {
  mkdirSync(join(stagingFolder, path, '..'), { recursive: true });
  writeFileSync(join(stagingFolder, path), JSON.stringify(content));
}

function only(versions = {}, isWanted) {
  return Object.fromEntries(Object.entries(versions).filter(([name]) => isWanted(name)));
}
