import { bundleLimits } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/**
 * The path of a file in a bundle, as it is kept: relative, without `.` and `..`, in Unicode form NFC, so that a name
 * packed on a Mac is found by the address that a browser makes of it. It is a name in a list and never one of a file on
 * our disk.
 * @throws RequestError `invalid_bundle`
 */
export function parseBundlePath(raw: string): string {
  const path = raw.replace(/^(?:\.\/)+/, '').normalize('NFC');
  const isUnsafe =
    path.split('/').some((step) => step === '' || step === '.' || step === '..') ||
    // U+FFFD stands for bytes that were no UTF-8.
    /[\u0000-\u001f\u007f\\\ufffd]/.test(path) ||
    path.length > bundleLimits.pathLength;
  if (isUnsafe)
    throw new RequestError('invalid_bundle', `The path ${JSON.stringify(raw.slice(0, 100))} is not allowed.`);
  return path;
}

/** The files so far: each path once, and neither too many nor too long together. Upper and lower case are different. */
export class BundlePaths {
  readonly #files = new Set<string>();
  #bytes = 0;

  /** @throws RequestError `invalid_bundle` */
  add(path: string): void {
    this.#bytes += Buffer.byteLength(path);
    if (this.#files.has(path)) throw new RequestError('invalid_bundle', `The bundle holds ${path} twice.`);
    if (this.#files.size >= bundleLimits.files)
      throw new RequestError('invalid_bundle', `The bundle holds more than ${bundleLimits.files} files.`);
    if (this.#bytes > bundleLimits.pathBytes)
      throw new RequestError(
        'invalid_bundle',
        `The paths of the bundle have more than ${bundleLimits.pathBytes} bytes together.`,
      );
    this.#files.add(path);
  }

  /**
   * To be called when all are there. Sorted with the slash before every other character, what is below a file comes right
   * after it: a set of all folders could have hundreds for each path.
   * @throws RequestError `invalid_bundle` when a file is a folder of another
   */
  requireNoFolders(): void {
    const sorted = [...this.#files].map((path) => path.replaceAll('/', '\0')).sort();
    const file = sorted.find((path, at) => sorted[at + 1]?.startsWith(`${path}\0`));
    if (file === undefined) return;
    const path = file.replaceAll('\0', '/');
    throw new RequestError('invalid_bundle', `The bundle holds ${path} as a file and as a folder.`);
  }
}
