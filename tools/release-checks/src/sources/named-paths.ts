const EXTENSIONS = /\.(tsx?|mjs|js|json|jsonc|ya?ml|md|css|cnf)$/;

/** Finds what a page writes as a path: in code marks and with a folder or an ending, or as the target of a link. */
export function findNamedPaths(page: string): readonly string[] {
  const text = page.replaceAll(/^```[\s\S]*?^```/gm, '');
  const inCode = [...text.matchAll(/`([^`\s]+)`/g)].map(([, path = '']) => path);
  return inCode.filter((path) => /^[a-z][\w./*@-]*$/i.test(path) && (isInFolder(path) || EXTENSIONS.test(path)));
}

function isInFolder(path: string): boolean {
  return /^(apps|libs|tools|deploy|docs)\//.test(path);
}

/** Targets of a page's links within the repository, without their fragments. */
export function findLinks(page: string): readonly string[] {
  const targets = [...page.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !target.startsWith('/'));
}

/** Links of a page to a heading, of itself or of another page of the repository: `page.md#heading`. */
export function findHeadingLinks(page: string): readonly { readonly target: string; readonly anchor: string }[] {
  const links = [...page.matchAll(/\]\(([^)#\s]*)#([^)\s]+)\)/g)];
  return links
    .map(([, target = '', anchor = '']) => ({ target, anchor }))
    .filter(({ target }) => target === '' || (target.endsWith('.md') && !/^[a-z]+:/.test(target)));
}

/** The anchors of a page's headings, as GitHub makes them. */
export function findAnchors(page: string): readonly string[] {
  const headings = page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return [...headings].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** A path is named from the root, or by its end where that says enough; `*` stands for anything but a folder. */
export function isThere(named: string, files: readonly string[]): boolean {
  const pattern = named
    .replace(/\/$/, '')
    .replaceAll(/[.+^$()]/g, '\\$&')
    .replaceAll('*', '[^/]*');
  const there = new RegExp(`(^|/)${pattern}(/|$)`);
  return files.some((file) => there.test(file));
}

/** How to add a thing: a section of CONTRIBUTING.md. */
interface Recipe {
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
