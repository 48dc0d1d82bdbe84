/**
 * Files of a site that visitors should not get: an operating system adds some, and others are secrets. The API and the
 * command decide alike, by paths that are relative, with `/`.
 */

/** Files that macOS and Windows add to folders and archives. */
const ADDED_FILE = /(?:^|\/)(?:\.DS_Store|Thumbs\.db|__MACOSX\/.+)$/;

/** Path at which macOS stores attributes of the file or folder of the same name without `._`. */
const APPLE_DOUBLE = /^(.*\/)?\._([^/]+)$/;

const GIT_FILE = /(?:^|\/)\.git(?:\/|$)/i;

const ENV_FILE = /(?:^|\/)\.env(?:\.[^/]+)?$/i;

/** Files that show how to write an `.env`, without its secrets. */
const ENV_TEMPLATE = /\.(?:example|sample|template)$/i;

/** RFC 7468 §2, also as OpenSSH and PGP write it. */
const PRIVATE_KEY = /^-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/;

/** Bytes of a file that `findSecretContent` needs. */
export const SECRET_START_BYTES = 128;

/** Whether an operating system adds such files, which are left out. */
export function isAddedFile(path: string): boolean {
  return ADDED_FILE.test(path);
}

/** Whether the name is that of a file in which macOS stores attributes. */
export function mayBeAppleDouble(path: string): boolean {
  return APPLE_DOUBLE.test(path);
}

/**
 * Returns the paths at which macOS stores attributes of another file or folder of the list: `._a` beside `a`. Sorted
 * with the slash before every other character, a path or those below it follow at once; a set of all folders could be
 * huge.
 */
export function findAppleDoubles(paths: readonly string[]): ReadonlySet<string> {
  const candidates = paths.filter(mayBeAppleDouble);
  if (candidates.length === 0) return new Set();
  const sorted = paths.map(toSortable).sort();
  const isThere = (path: string) => {
    const first = sorted[lowerBound(sorted, path)];
    return first === path || first?.startsWith(`${path}\0`);
  };
  return new Set(candidates.filter((path) => isThere(toSortable(path.replace(APPLE_DOUBLE, '$1$2')))));
}

function toSortable(path: string): string {
  return path.replaceAll('/', '\0');
}

/** The index of the first entry that does not come before a text. */
function lowerBound(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a path is below a folder, or of a file, that may contain secrets: an end of a sentence; null for others. */
export function findSecretPath(path: string): string | null {
  if (GIT_FILE.test(path)) return 'belongs to a Git repository, which contains earlier versions of all files';
  if (ENV_FILE.test(path) && !ENV_TEMPLATE.test(path)) return 'usually contains passwords and keys of an application';
  return null;
}

/** Returns why a file with this beginning (`SECRET_START_BYTES`) may contain a secret; null if it does not. */
export function findSecretContent(start: Uint8Array): string | null {
  return PRIVATE_KEY.test(new TextDecoder().decode(start)) ? 'contains a private key' : null;
}
