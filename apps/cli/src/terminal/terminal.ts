import type { ReadStream } from 'node:tty';
import { styleText } from 'node:util';
import { stringifyWithBigInt } from '@pets/client';
import type { Report } from '../outcome/outcome.js';
import { printable } from './format.js';

type Format = Parameters<typeof styleText>[0];

export interface TerminalStreams {
  readonly stdin: ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/**
 * The output of a command. Results go to standard output, so that they can be piped. Progress and the outcome go to
 * standard error. With `--json`, standard output receives exactly one document.
 */
export class Terminal {
  readonly #startedAt = performance.now();
  readonly #isJson: boolean;

  constructor(
    readonly streams: TerminalStreams,
    isJson: boolean,
  ) {
    this.#isJson = isJson;
  }

  /** Prints a step with the seconds since the start. */
  progress(line: string): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1).padStart(6);
    this.streams.stderr.write(`${this.onStderr('dim', `${seconds} s`)}  ${printable(line)}\n`);
  }

  /** Prints a remark that is no step. */
  note(line: string): void {
    this.streams.stderr.write(`${this.onStderr('dim', printable(line))}\n`);
  }

  /** Prints a result while the command runs, with `--json` as a document in one line. */
  line(text: string, document: unknown): void {
    this.streams.stdout.write(`${this.#isJson ? stringifyWithBigInt(document) : printable(text)}\n`);
  }

  /** The width that results have to fit into; null where they go into a pipe or a file. */
  get width(): number | null {
    const { isTTY, columns } = this.streams.stdout;
    return isTTY && columns > 0 ? columns : null;
  }

  /** Uses colours only on a terminal that supports them. */
  readonly onStdout = (format: Format, text: string): string =>
    styleText(format, text, { stream: this.streams.stdout });

  readonly onStderr = (format: Format, text: string): string =>
    styleText(format, text, { stream: this.streams.stderr });

  /** Prints the report of the command. */
  finish({ text, ...outcome }: Report): void {
    const { stdout, stderr } = this.streams;
    if (this.#isJson) stdout.write(`${stringifyWithBigInt(outcome)}\n`);
    else if (text !== '') stdout.write(`${text}\n`);
    const mark = outcome.ok ? this.onStderr('green', 'ok') : this.onStderr('red', outcome.status.replace('_', ' '));
    if (outcome.message !== '') stderr.write(`${mark}: ${printable(outcome.message)}\n`);
    if (this.#isJson) return;
    for (const { command, when } of outcome.next) stderr.write(`next: ${printable(command)}  (${when})\n`);
  }
}
