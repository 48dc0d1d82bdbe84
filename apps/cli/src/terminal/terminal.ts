import type { ReadStream } from 'node:tty';
import { styleText } from 'node:util';
import { stringifyWithBigInt } from '@pets/client';
import type { Report } from '../outcome/outcome.js';
import { printable } from './printable.js';

type Format = Parameters<typeof styleText>[0];

/** What a command is run with. */
export interface TerminalStreams {
  readonly stdin: ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/**
 * Where a command speaks. Results go to standard output, so that they can be piped; what happens on the way and how it
 * ended goes to standard error. With `--json`, standard output gets one document and nothing else.
 */
export class Terminal {
  readonly #startedAt = performance.now();

  constructor(
    readonly streams: TerminalStreams,
    private readonly isJson: boolean,
  ) {}

  /** Tells a step, and how long after the start it came. */
  progress(line: string): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1).padStart(6);
    this.streams.stderr.write(`${this.onStderr('dim', `${seconds} s`)}  ${printable(line)}\n`);
  }

  /** Coloured where results are read by a person on a terminal that wants it. */
  readonly onStdout = (format: Format, text: string): string =>
    styleText(format, text, { stream: this.streams.stdout });

  readonly onStderr = (format: Format, text: string): string =>
    styleText(format, text, { stream: this.streams.stderr });

  /** The end of a command, said once. */
  finish({ text, ...outcome }: Report): void {
    const { stdout, stderr } = this.streams;
    if (this.isJson) stdout.write(`${stringifyWithBigInt(outcome)}\n`);
    else if (text !== '') stdout.write(`${text}\n`);
    const mark = outcome.ok ? this.onStderr('green', 'ok') : this.onStderr('red', outcome.status.replace('_', ' '));
    stderr.write(`${mark}: ${printable(outcome.message)}\n`);
    if (this.isJson) return;
    for (const { command, when } of outcome.next) stderr.write(`next: ${printable(command)}  (${when})\n`);
  }
}
