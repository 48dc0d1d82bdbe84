/**
 * Builds the packages for npm, in `dist/packages` or the folder given: `npm run packages`. Our private libraries become part of the code; no
 * published file imports them.
 *
 * - `@pets/client` keeps its npm dependencies, whose types are in its own.
 * - `@pets/domain-setup` is the element alone, for browsers, with types that name nothing of ours.
 * - `@pets/cli` contains everything, with the licences of what it contains, so that it installs at once and is never
 *   combined with other versions than the tested ones.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '../..');
const output = resolve(process.argv[2] ?? join(root, 'dist/packages'));
const COMPILE_LIMIT_MS = 10 * 60_000;

/** The oldest Node that runs them. */
const OLDEST_NODE = '>=20.19';

rmSync(output, { recursive: true, force: true });
await buildClient();
await buildElement();
await buildCommand();

async function buildClient() {
  const source = join(root, 'libs/client');
  const target = join(output, 'client');
  const imported = await bundle({
    input: join(source, 'src/index.ts'),
    file: join(target, 'dist/index.js'),
    external: isPublished,
  });
  declareTypes(source, target);
  const types = './dist/index.d.ts';
  const exports = { '.': { types, default: './dist/index.js' } };
  writeManifest(source, target, {
    exports,
    types,
    dependencies: versionsOf(imported, readJson(join(source, 'package.json'))),
  });
}

async function buildElement() {
  const source = join(root, 'libs/domain-setup');
  const target = join(output, 'domain-setup');
  const entry = 'element/published';
  await bundle({
    input: join(source, 'src', `${entry}.ts`),
    file: join(target, `dist/${entry}.js`),
    external: () => false,
    ...{ platform: 'browser', target: 'es2023' },
  });
  declareTypes(source, target, [
    `${entry}.d.ts`,
    'element/public-element.d.ts',
    'element/merge-texts.d.ts',
    'texts.d.ts',
  ]);
  const types = `./dist/${entry}.d.ts`;
  writeManifest(source, target, { exports: { '.': { types, default: `./dist/${entry}.js` } }, types });
}

async function buildCommand() {
  const source = join(root, 'apps/cli');
  const target = join(output, 'cli');
  await bundle({ input: join(source, 'src/main.ts'), file: join(target, 'dist/main.js'), external: () => false });
  cpSync(join(source, 'bin'), join(target, 'bin'), { recursive: true });
  writeManifest(source, target, {});
}

/** @returns the names of the npm packages that the code imports */
async function bundle({ input, file, external, platform = 'node', target = 'node20' }) {
  const build = await rolldown({
    input,
    platform,
    external: (id) => id.startsWith('node:') || external(id),
    resolve: {
      conditionNames: ['@pets/source', platform, 'import', 'default'],
      extensionAlias: { '.js': ['.ts', '.js'] },
    },
    // The number of a release is in its manifest alone.
    transform: { target, define: { PACKAGE_VERSION: JSON.stringify(versionOf(input)) } },
    // What nothing uses of `@pets/async` would be imported for its effects, of which it has none.
    treeshake: { moduleSideEffects: (id) => !isPublished(id) && !id.includes('/libs/async/') },
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const contained = new Set();
  const licences = {
    name: 'licences',
    generateBundle() {
      for (const id of this.getModuleIds()) {
        const folder = packageFolder(id);
        if (folder !== null) contained.add(folder);
      }
    },
  };
  const {
    output: [chunk],
  } = await build.write({ file, format: 'esm', comments: { legal: true }, plugins: [licences] });
  await build.close();
  if (contained.size > 0) writeLicences([...contained].sort(), join(file, '../../THIRD-PARTY-LICENSES'));
  return chunk.imports.filter((id) => !id.startsWith('node:')).map(packageName);
}

function isPublished(id) {
  return /^[@a-z]/.test(id) && !id.startsWith('@pets/');
}

function packageName(id) {
  return id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The folder of the npm package that contains a module; null for a module of ours. */
function packageFolder(id) {
  return /^(?<folder>.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.groups.folder ?? null;
}

function writeLicences(folders, file) {
  const texts = folders.map((folder) => {
    const { name, version, license } = readJson(join(folder, 'package.json'));
    const licence = readdirSync(folder).find((each) => /^(?:licen[cs]e|copying)/i.test(each));
    const text = licence === undefined ? String(license) : readFileSync(join(folder, licence), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  writeFileSync(file, texts.join(`\n${'-'.repeat(80)}\n\n`));
}

/**
 * The compiler's declarations, which import each other and the npm dependencies.
 * @param {string[]} [names] those of a package that publishes only some
 */
function declareTypes(source, target, names) {
  const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-b', join(source, 'tsconfig.lib.json')], {
    encoding: 'utf8',
    timeout: COMPILE_LIMIT_MS,
  });
  if (status !== 0) throw new Error(stdout);
  const all = () => readdirSync(join(source, 'dist')).filter((each) => each.endsWith('.d.ts'));
  for (const name of names ?? all()) {
    const text = readFileSync(join(source, 'dist', name), 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    if (/['"]@pets\//.test(text)) throw new Error(`${name} of ${source} imports a private package`);
    writeFileSync(join(target, 'dist', name), text);
  }
}

/** Writes the manifest of a package from the one in the repository, without what is for the repository alone. */
function writeManifest(source, target, additions) {
  const { name, version, description, keywords, license, type, bin, files, publishConfig } = readJson(
    join(source, 'package.json'),
  );
  const manifest = {
    ...{ name, version, description, keywords, license, type, bin, files, publishConfig },
    ...repositoryOf(process.env),
    engines: { node: OLDEST_NODE },
    ...additions,
  };
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(source, 'README.md'), join(target, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
  const changelog = join(source, 'CHANGELOG.md');
  if (existsSync(changelog)) cpSync(changelog, join(target, 'CHANGELOG.md'));
}

/** Repository of the workflow that publishes: npm accepts a provenance only for the repository that it names. */
function repositoryOf({ GITHUB_SERVER_URL, GITHUB_REPOSITORY }) {
  if (!GITHUB_REPOSITORY) return {};
  return { repository: { type: 'git', url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git` } };
}

/** Versions as the published library demands them. */
function versionsOf(names, { dependencies }) {
  const unknown = names.filter((name) => !Object.hasOwn(dependencies, name));
  if (unknown.length > 0) throw new Error(`a published package imports ${unknown.join(', ')} without a dependency`);
  return Object.fromEntries(names.sort().map((name) => [name, dependencies[name]]));
}

/** @param {string} input a file below the folder of sources */
function versionOf(input) {
  return readJson(join(input.slice(0, input.lastIndexOf('/src/')), 'package.json')).version;
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
