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
