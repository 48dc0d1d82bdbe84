/**
 * TypeScript for Node's own loader: finds the source behind an import, and compiles it with SWC, because Nest needs the
 * metadata of decorators. Compiled files are kept in `node_modules/.cache`, one for each source, so that a process starts
 * without SWC if nothing has changed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const configFile = join(root, '.swcrc');
const cacheFolder = join(root, 'node_modules/.cache/pets-sources');
const require = createRequire(import.meta.url);
let compiler;

/** @param {string} url of a module, without a query */
export function isTypeScript(url) {
  return /\.tsx?$/.test(url);
}

/** Resolves a path as the compiler does: `.js` of a source is its `.ts`. */
export function sourceOf(specifier, parentUrl) {
  if (!/^\.{1,2}\/.*\.js$/.test(specifier)) return specifier;
  const sources = ['.ts', '.tsx'].map((type) => specifier.replace(/\.js$/, type));
  return sources.find((source) => existsSync(new URL(source, parentUrl))) ?? specifier;
}

/**
 * @returns the JavaScript of a source file, with its source map
 * @throws Error of SWC for a syntax error
 */
export function compile(path) {
  const source = readFileSync(path, 'utf8');
  const file = join(cacheFolder, `${sha1(path)}.js`);
  const version = sha1(`${settings()}\n${source}`);
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (kept.startsWith(version)) return kept.slice(version.length);
  compiler ??= require('@swc/core');
  const { code } = compiler.transformSync(source, { filename: path, configFile, sourceMaps: 'inline' });
  mkdirSync(cacheFolder, { recursive: true });
  // Renamed, since other processes may read or write the same file.
  const draft = `${file}.${process.pid}.${Math.random()}`;
  writeFileSync(draft, version + code);
  renameSync(draft, file);
  return code;
}

let knownSettings;

/** Everything else that decides about the result. */
function settings() {
  knownSettings ??= `${require('@swc/core/package.json').version} ${readFileSync(configFile, 'utf8')}`;
  return knownSettings;
}

function sha1(text) {
  return createHash('sha1').update(text).digest('hex');
}
