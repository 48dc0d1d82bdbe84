import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { root } from './projects.mjs';

/** The last of what a program said, from which one sees why it failed. */
const TEXT_LIMIT = 262_144;

/** Runs a program to its end. @returns its exit status and what it said; null for one that did not start or was killed */
export function run(command, args, options) {
  return new Promise((done) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk) => (text = (text + chunk).slice(-TEXT_LIMIT)));
    }
    child.once('error', (error) => done({ status: null, text: `${text}${error.message}\n` }));
    child.once('close', (status, signal) => done({ status, text: signal === null ? text : `${text}${signal}\n` }));
  });
}

/** The environment in which the Node that came with the dependencies goes first, whatever the machine has. */
export function environmentWithOurNode() {
  return { ...process.env, PATH: [join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter) };
}

/** Runs npm: the one that runs us, or that of the machine. */
export function runNpm(args, options) {
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli?.endsWith('npm-cli.js') ? [process.execPath, [npmCli]] : ['npm', []];
  return run(command, [...first, ...args], options);
}
