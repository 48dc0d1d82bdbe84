/**
 * Node's own loader reads TypeScript, compiled on first use. Packages of npm and sources without state are loaded once in a
 * process; other sources again for each test file, whose load number is part of the address of everything it imports, so
 * that no test finds the state that another has left in a module.
 */
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compile, isTypeScript, sourceOf } from '../sources/compile.mjs';

const root = new URL('../../', import.meta.url);
const compiled = new Map();
const resolved = new Map();
let loads = 0;

/**
 * Their modules have constants, functions and classes only, or state that tests may share: caches, context of asynchronous
 * work, and whether the process is traced. They import each other alone.
 */
const statelessFolders = [
  ...['async', 'contracts', 'dns', 'domains', 'messaging', 'persistence', 'platform', 'sites'].map(
    (name) => `libs/${name}/src/`,
  ),
  'apps/pets-api/src/',
].map((folder) => new URL(folder, root).href);

/** @param {string} globals address of what tests get for `@jest/globals`, loaded again as well */
export function readSources(globals) {
  registerHooks({
    resolve(specifier, context, next) {
      const [parent, load = ''] = (context.parentURL ?? root.href).split('?');
      if (specifier === '@jest/globals') return { url: `${globals}?${load}`, shortCircuit: true };
      if (!isTypeScript(parent)) return inLoad(find(specifier, context, next), load);
      // The same in each load.
      const key = `${parent} ${specifier}`;
      const known = resolved.get(key) ?? find(sourceOf(specifier, parent), context, next);
      resolved.set(key, known);
      return inLoad(known, load);
    },
    load(url, context, next) {
      const [place] = url.split('?');
      if (!isTypeScript(place)) return next(url, context);
      return { format: 'module', source: compileOnce(fileURLToPath(place)), shortCircuit: true };
    },
  });
}

function find(specifier, context, next) {
  return {
    ...next(specifier, { ...context, conditions: ['@pets/source', ...context.conditions] }),
    shortCircuit: true,
  };
}

function inLoad(found, load) {
  const isLoadedAgain =
    load !== '' && isTypeScript(found.url) && !statelessFolders.some((folder) => found.url.startsWith(folder));
  return isLoadedAgain ? { ...found, url: `${found.url}?${load}` } : found;
}

/** Begins a load with a file. @returns the file’s address in it */
export function addressInNewLoad(path) {
  return `${pathToFileURL(path).href}?load=${++loads}`;
}

function compileOnce(path) {
  const known = compiled.get(path) ?? compile(path);
  compiled.set(path, known);
  return known;
}
