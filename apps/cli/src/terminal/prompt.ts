import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { usageFailure } from '../outcome/outcome.js';
import { printable } from './format.js';
import type { Terminal } from './terminal.js';

/** Asks a question that is answered with yes or no. @throws CommandFailure `usage` when standard input is not a terminal */
export async function confirm({ streams: { stdin, stderr } }: Terminal, question: string): Promise<boolean> {
  if (!stdin.isTTY) throw usageFailure('confirmation_missing', 'Not a terminal: pass --yes to confirm.');
  const lines = createInterface({ input: stdin, output: stderr });
  // readline handles Ctrl-C itself, and never resolves the question after Ctrl-D.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  const closed = once(lines, 'close').then(() => '');
  try {
    const answer = lines.question(`${printable(question)} [y/N] `).catch(() => '');
    return /^y(es)?$/i.test((await Promise.race([answer, closed])).trim());
  } finally {
    lines.close();
  }
}

const INTERRUPT = '\u0003';
const END = '\u0004';
const ERASE = ['\u007f', '\b'];

/** Longer than any key. */
const MAX_LENGTH = 4_096;

/**
 * Reads a secret: the first line of a pipe, or hidden input on a terminal. Empty when there is none. Ctrl-C ends the
 * process.
 */
export async function readSecret(terminal: Terminal, prompt: string): Promise<string> {
  const { stdin, stderr } = terminal.streams;
  if (!stdin.isTTY) return readFirstLine(stdin);
  // Before the prompt, so that input is never echoed.
  stdin.setRawMode(true);
  stdin.setEncoding('utf8');
  stderr.write(prompt);
  try {
    return await readHidden(stdin);
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

async function readFirstLine(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += chunk.toString();
    if (text.includes('\n') || text.length > MAX_LENGTH) break;
  }
  return (text.split('\n')[0] ?? '').trim();
}

/** In raw mode the terminal handles neither erasing nor Ctrl-C. */
function readHidden(stdin: Terminal['streams']['stdin']): Promise<string> {
  return new Promise((resolve) => {
    let typed = '';
    const onKeys = (keys: string) => {
      for (const key of keys) {
        if (key === INTERRUPT) return void process.kill(process.pid, 'SIGINT');
        if (key === '\r' || key === '\n' || key === END) return end();
        else if (ERASE.includes(key)) typed = typed.slice(0, -1);
        else if (typed.length < MAX_LENGTH) typed += key;
      }
    };
    const end = () => {
      stdin.off('data', onKeys);
      resolve(typed.trim());
    };
    stdin.on('data', onKeys);
    stdin.once('end', end);
  });
}
