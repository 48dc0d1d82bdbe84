import { findNamedPaths, isThere } from './named-paths.js';

/** How to add a thing: a section of CONTRIBUTING.md. */
export interface Recipe {
  /** Heading of the section: "A webhook event". */
  readonly title: string;
  /** An existing one, by the names that occur wherever it costs a line. */
  readonly examples: readonly string[];
  /** The files that its steps name. */
  readonly paths: readonly string[];
}

/** The recipes of a page: its sections "A …" and "An …" with numbered steps. */
export function readRecipes(page: string): readonly Recipe[] {
  const sections = page.split(/^## /m).filter((section) => /^An? /.test(section) && /^1\. /m.test(section));
  return sections.map((section) => {
    const [steps = ''] = section.split(/^Check: /m);
    const [, names = ''] = /\bFollow ((?:`[^`]+`[,\s]*(?:and\s)?)+)/.exec(steps) ?? [];
    return {
      title: section.slice(0, section.indexOf('\n')),
      examples: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
      paths: findNamedPaths(steps).filter((path) => !names.includes(`\`${path}\``)),
    };
  });
}

/** Finds files that contain the example of a recipe and that it does not name, and files that it names for nothing. */
export function findRecipeFaults(
  { examples, paths }: Recipe,
  texts: ReadonlyMap<string, string>,
): { readonly unnamed: readonly string[]; readonly unneeded: readonly string[] } {
  const containing = [...texts].filter(([, text]) => examples.some((name) => containsName(text, name)));
  const found = containing.map(([path]) => path);
  return {
    unnamed: found.filter((file) => !isTest(file) && !paths.some((path) => isThere(path, [file]))),
    unneeded: paths.filter((path) => !isThere(path, found)),
  };
}

/** Each example has tests of its own; a recipe names those that list all of its kind. */
function isTest(path: string): boolean {
  return /\.(spec|test|e2e|interop)\.ts$/.test(path);
}

function containsName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/\w/.test(text.charAt(at - 1)) && !/\w/.test(text.charAt(at + name.length))) return true;
  }
  return false;
}
