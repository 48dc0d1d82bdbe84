/**
 * `node --import tools/sources/register.mjs apps/pets-api/src/main.ts` runs a program from its sources, and so do the
 * processes and threads that it starts. With `PETS_LOADED_FILES`, the path of a list, they append what they load to it:
 *
 *   source PATH   one of our files: a change of it concerns this process
 *   package URL   an npm package that one of our files imports
 *   program URL   a file that the program itself imports
 */
import { appendFileSync } from 'node:fs';
import { registerHooks, setSourceMapsSupport } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { compile, isTypeScript, sourceOf } from './compile.mjs';

const list = process.env.PETS_LOADED_FILES;
const program = pathToFileURL(process.env.PETS_PROGRAM ?? process.argv[1] ?? '').href;
const packages = new Set();

// For our lines in a stack trace. The maps of npm packages would be read for nothing.
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });

registerHooks({
  resolve(specifier, context, next) {
    const parent = context.parentURL;
    const isOurs = parent !== undefined && isTypeScript(parent);
    const found = next(isOurs ? sourceOf(specifier, parent) : specifier, {
      ...context,
      conditions: ['@pets/source', ...context.conditions],
    });
    if (list && isOurs) noteImport(parent, found.url);
    return found;
  },
  load(url, context, next) {
    if (!isTypeScript(url)) return next(url, context);
    const path = fileURLToPath(url);
    if (list) note(`source ${path}`);
    return { format: 'module', source: compile(path), shortCircuit: true };
  },
});

function noteImport(parent, url) {
  if (url.startsWith('node:')) return;
  if (isTypeScript(url)) {
    if (parent === program) note(`program ${url}`);
  } else if (!packages.has(url)) {
    packages.add(url);
    note(`package ${url}`);
  }
}

function note(line) {
  appendFileSync(list, `${line}\n`);
}
