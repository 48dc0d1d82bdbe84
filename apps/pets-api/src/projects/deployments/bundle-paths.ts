import { bundleLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/**
 * Parses the path of a file in a bundle: relative, without `.` and `..`, in Unicode form NFC, so that a name packed on
 * macOS matches the URL that a browser requests. It is never used as a path on our disk.
 * @throws RequestError `invalid_bundle`
 */
export function parseBundlePath(raw: string): string {
  const path = raw.replace(/^(?:\.\/)+/, '').normalize('NFC');
  const isUnsafe =
    path.split('/').some((segment) => segment === '' || segment === '.' || segment === '..') ||
    // U+FFFD replaces bytes that are not UTF-8.
    /[\u0000-\u001f\u007f\\\ufffd]/.test(path) ||
    path.length > bundleLimits.pathLength;
  if (isUnsafe)
    throw new RequestError('invalid_bundle', `The path ${JSON.stringify(raw.slice(0, 100))} is not allowed.`);
  return path;
}

/** The paths of a bundle: unique, case-sensitive, and limited in number and total length. */
export class BundlePaths {
  readonly #files = new Set<string>();
  #bytes = 0;

  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** @throws RequestError `invalid_bundle` */
  add(path: string): void {
    this.#bytes += Buffer.byteLength(path);
    if (this.#files.has(path)) throw new RequestError('invalid_bundle', `The bundle contains ${path} twice.`);
    if (this.#files.size >= bundleLimits.files)
      throw new RequestError('invalid_bundle', `The bundle contains more than ${bundleLimits.files} files.`);
    if (this.#bytes > bundleLimits.pathBytes)
      throw new RequestError(
        'invalid_bundle',
        `The paths in the bundle have more than ${bundleLimits.pathBytes} bytes in total.`,
      );
    this.#files.add(path);
  }

  /**
   * Call it after the last `add`. Sorted with the slash before every other character, a path below a file directly follows
   * it. A set of all folders would be much larger: each path can have hundreds.
   * @throws RequestError `invalid_bundle` when a file is a folder of another
   */
  requireNoFolders(): void {
    const sorted = [...this.#files].map((path) => path.replaceAll('/', '\0')).sort();
    const file = sorted.find((path, at) => sorted[at + 1]?.startsWith(`${path}\0`));
    if (file === undefined) return;
    const path = file.replaceAll('\0', '/');
    throw new RequestError('invalid_bundle', `The bundle contains ${path} as a file and as a folder.`);
  }
}
