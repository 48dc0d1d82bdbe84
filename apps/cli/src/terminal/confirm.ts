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
