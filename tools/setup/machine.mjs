/** Programs of the machine: those in folders of PATH that are not ours. */
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';

const LIMIT_MS = 10_000;

export function isOnMachine(program) {
  return spawn('/bin/sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
}

/** Output of a program, or nothing where there is no such program. @param {readonly string[]} args */
export function outputOnMachine(program, args) {
  return spawn(program, args).stdout ?? '';
}

function spawn(command, args) {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin'));
  const env = { ...process.env, PATH: folders.join(delimiter) };
  return spawnSync(command, args, { env, encoding: 'utf8', timeout: LIMIT_MS });
}
