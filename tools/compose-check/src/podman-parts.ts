import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Machine } from './podman-configuration.js';

export const INSTALL_HINT =
  'On Debian: apt-get install podman docker-compose netavark aardvark-dns iptables debootstrap runc';

/** Where Podman looks for the programs that it starts, besides PATH. */
const fixedFolders = [
  ...['/usr/local/bin', '/usr/local/sbin', '/usr/bin', '/usr/sbin', '/bin', '/sbin'],
  ...['/usr/local/libexec/podman', '/usr/local/lib/podman', '/usr/libexec/podman', '/usr/lib/podman'],
];

export function foldersOfParts(path: string): string[] {
  return [...path.split(delimiter), ...fixedFolders];
}

/** Programs without which Podman starts and its containers do not: their packages are only recommended by its own. */
export function missingParts(folders: readonly string[], { hybridControllers }: Machine): string[] {
  const isFound = (program: string) => folders.some((folder) => existsSync(join(folder, program)));
  // `containersConfiguration` says why it is runc there.
  const runtimes = hybridControllers === '' ? ['crun', 'runc'] : ['runc'];
  const needed = [runtimes, ['netavark'], ['aardvark-dns']];
  return needed.filter((programs) => !programs.some(isFound)).map((programs) => programs.join(' or '));
}
