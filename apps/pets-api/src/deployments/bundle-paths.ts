import { bundleLimits } from '@pets/contracts';
import { DomainError } from '@pets/platform';

/**
 * The path of a file in a bundle, as it is kept: relative, without `.` and `..`, in Unicode form NFC, so that a name
 * packed on a Mac is found by the address that a browser makes of it. It is a name in a list and never one of a file on
 * our disk.
 * @throws DomainError `invalid_bundle`
 */
export function parseBundlePath(raw: string): string {
  const path = raw.replace(/^(?:\.\/)+/, '').normalize('NFC');
  const isUnsafe =
    path.split('/').some((step) => step === '' || step === '.' || step === '..') ||
    // U+FFFD stands for bytes that were no UTF-8.
    /[\u0000-\u001f\u007f\\\ufffd]/.test(path) ||
    path.length > bundleLimits.pathLength;
  if (isUnsafe)
    throw new DomainError('invalid_bundle', `The path ${JSON.stringify(raw.slice(0, 100))} is not allowed.`);
  return path;
}

/**
 * The files so far: each path once, none of them a folder of another, and not too many. Names that differ only in case
 * are different names, as in addresses.
 */
export class BundlePaths {
  private readonly files = new Set<string>();
  private readonly folders = new Set<string>();

  /** @throws DomainError `invalid_bundle` */
  add(path: string): void {
    const parents = path
      .split('/')
      .map((_step, i, steps) => steps.slice(0, i).join('/'))
      .slice(1);
    if (this.files.has(path)) throw new DomainError('invalid_bundle', `The bundle holds ${path} twice.`);
    if (this.folders.has(path) || parents.some((parent) => this.files.has(parent))) {
      throw new DomainError('invalid_bundle', `The bundle holds ${path} as a file and as a folder.`);
    }
    if (this.files.size >= bundleLimits.files) {
      throw new DomainError('invalid_bundle', `The bundle holds more than ${bundleLimits.files} files.`);
    }
    this.files.add(path);
    for (const parent of parents) this.folders.add(parent);
  }
}
