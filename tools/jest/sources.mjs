/**
 * Node's own loader reads TypeScript, compiled on first use. Packages of npm are loaded once in a process; sources again for
 * each test file, whose load number is part of the address of everything it imports, so that no test finds the state that
 * another has left in a module.
 */
import { existsSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';

const root = new URL('../../', import.meta.url);
const configFile = fileURLToPath(new URL('.swcrc', root));
const compiled = new Map();
let loads = 0;

/** @param {string} globals address of what tests get for `@jest/globals`, loaded again as well */
export function readSources(globals) {
  registerHooks({
    resolve(specifier, context, next) {
      const parent = new URL(context.parentURL ?? root);
      if (specifier === '@jest/globals') return { url: globals + parent.search, shortCircuit: true };
      const wanted = isTypeScript(parent) ? sourceOf(specifier, parent) : specifier;
      const found = next(wanted, { ...context, conditions: ['@pets/source', ...context.conditions] });
      return isTypeScript(new URL(found.url)) ? { ...found, url: found.url + parent.search } : found;
    },
    load(url, context, next) {
      const place = new URL(url);
      if (!isTypeScript(place)) return next(url, context);
      return { format: 'module', source: compile(fileURLToPath(place)), shortCircuit: true };
    },
  });
}

/** Begins a load with a file. @returns the file’s address in it */
export function addressInNewLoad(path) {
  return `${pathToFileURL(path).href}?load=${++loads}`;
}

function isTypeScript({ pathname }) {
  return /\.tsx?$/.test(pathname);
}

/** As the compiler has it: `.js` of a source is its `.ts`. */
function sourceOf(specifier, parent) {
  if (!/^\.{1,2}\/.*\.js$/.test(specifier)) return specifier;
  const sources = ['.ts', '.tsx'].map((type) => specifier.replace(/\.js$/, type));
  return sources.find((source) => existsSync(new URL(source, parent))) ?? specifier;
}

function compile(path) {
  const known = compiled.get(path);
  if (known !== undefined) return known;
  const { code } = transformSync(readFileSync(path, 'utf8'), { filename: path, configFile, sourceMaps: 'inline' });
  compiled.set(path, code);
  return code;
}
