import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

const INSTALL_LIMIT_MS = 5 * 60_000;
const cache = resolve(import.meta.dirname, '../../../node_modules/.cache/other-nodes');

/**
 * The path of a Node of the same major version: of the machine, or of npm, which keeps it for the next time.
 * @returns null where neither has one
 */
export function findNode(version: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const ofMachine = folders.map((folder) => join(folder, 'node')).find((path) => isOfMajor(path, version));
  if (ofMachine !== undefined) return ofMachine;
  const prefix = join(cache, version);
  const name = `node-${process.platform}-${process.arch}`;
  const installed = join(prefix, 'node_modules', name, 'bin/node');
  if (!existsSync(installed)) {
    const args = ['install', '--prefix', prefix, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
    spawnSync('npm', [...args, `${name}@${version}`], { stdio: 'ignore', timeout: INSTALL_LIMIT_MS });
  }
  return isOfMajor(installed, version) ? installed : null;
}

function isOfMajor(path: string, version: string): boolean {
  if (!existsSync(path)) return false;
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  return stdout?.startsWith(`v${version.split('.')[0]}.`) ?? false;
}
