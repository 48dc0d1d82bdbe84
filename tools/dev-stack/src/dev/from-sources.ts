import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot, type ChildSpec } from '@pets/testing/processes';

const loaderFolder = join(repositoryRoot, 'tools/sources');

/** Options of Node that let it run our sources. */
export const loaderOptions: readonly string[] = ['--import', pathToFileURL(join(loaderFolder, 'register.mjs')).href];

/** Our compiler for sources, which no build precedes. */
const compiler = (await import(pathToFileURL(join(loaderFolder, 'compile.mjs')).href)) as {
  compile(path: string): string; // its own docstring
};

/** The same program, run from its sources. It appends what it loads to the list (`tools/sources/register.mjs`). */
export function fromSources<Spec extends ChildSpec>(spec: Spec, list: string): Spec {
  const { options, program, args } = parts(spec);
  return {
    ...spec,
    args: [...loaderOptions, ...options, program, ...args],
    env: { ...spec.env, PETS_LOADED_FILES: list, PETS_PROGRAM: program },
  };
}

/** A process that becomes the same program when it is asked to (`tools/sources/standby.mjs`). */
export function standbyFor(spec: ChildSpec, lists: { readonly known: string; readonly own: string }): ChildSpec {
  const { program, args } = parts(spec);
  const standby = join(loaderFolder, 'standby.mjs');
  return {
    ...spec,
    args: [...loaderOptions, standby, lists.known, program, ...args],
    env: { ...spec.env, PETS_LOADED_FILES: lists.own, PETS_PROGRAM: program },
    takesMessages: true,
  };
}

/** Whether Node gets options of its own for it, such as an inspector, which a standby cannot take over. */
export function hasNodeOptions(spec: ChildSpec): boolean {
  return parts(spec).options.length > 0;
}

function parts({ args }: ChildSpec): { options: readonly string[]; program: string; args: readonly string[] } {
  const at = args.findIndex((arg) => !arg.startsWith('--'));
  const program = (args[at] ?? '').replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  return { options: args.slice(0, at), program, args: args.slice(at + 1) };
}

/** The sources in a list of what a process has loaded. */
export function loadedSources(list: string): readonly string[] {
  try {
    const lines = readFileSync(list, 'utf8').split('\n');
    return lines.filter((line) => line.startsWith('source ')).map((line) => line.slice('source '.length));
  } catch {
    return []; // the process has loaded nothing yet
  }
}

/** Compiles a source ahead of the processes that will load it. @returns its syntax error in one line, or null */
export function syntaxError(path: string): string | null {
  try {
    compiler.compile(path);
    return null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null; // deleted: its importers will say so
    return inOneLine(error instanceof Error ? error.message : String(error), path);
  }
}

/** SWC draws the place below its message. */
function inOneLine(text: string, path: string): string {
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, '');
  const lines = plain.split('\n').map((line) => line.trim());
  const message = lines.find((line) => /^[x×] /.test(line))?.slice(2) ?? lines[0] ?? plain;
  const place = /:(\d{1,9}:\d{1,9})\]/.exec(plain)?.[1];
  return `${path}${place === undefined ? '' : `:${place}`} ${message}`;
}
