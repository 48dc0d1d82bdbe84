import type { ReadStream } from 'node:tty';
import { styleText } from 'node:util';
import { stringifyWithBigInt } from '@pets/client';
import type { Report } from '../outcome/outcome.js';
import { hang, printable, relativeTime, withLocalTimes } from './format.js';

type Format = Parameters<typeof styleText>[0];

export interface TerminalStreams {
  readonly stdin: ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** How results look: their colours, their times, and the width that they have to fit into. */
export type Style = Pick<Terminal, 'onStdout' | 'prose' | 'time' | 'width'>;

/** The number of columns of the seconds and the blanks before a step. */
const STEP_INDENT = 10;

const STATUS_INTERVAL_MS = 1_000;

/** Back to the beginning of the line, and erase it. */
export const CLEAR_LINE = '\r\u001b[K';

/**
 * The output of a command. Results go to standard output, so that they can be piped. Progress and the outcome go to
 * standard error. With `--json`, standard output receives exactly one document.
 */
export class Terminal {
  readonly #startedAt = performance.now();
  readonly #isJson: boolean;
  #hasStatus = false;

  constructor(
    readonly streams: TerminalStreams,
    isJson: boolean,
  ) {
    this.#isJson = isJson;
  }

  /** Prints a step with the seconds since the start. */
  progress(line: string): void {
    const seconds = ((performance.now() - this.#startedAt) / 1_000).toFixed(1).padStart(6);
    const shown = hang(' '.repeat(STEP_INDENT), printable(line), this.#stderrWidth).slice(STEP_INDENT);
    this.#writeStderr(`${this.onStderr('dim', `${seconds} s`)}  ${shown}\n`);
  }

  /** Prints a remark that is no step. */
  note(line: string): void {
    this.#writeStderr(`${this.onStderr('dim', hang('', printable(line), this.#stderrWidth))}\n`);
  }

  /**
   * Shows a line that changes every second, below the steps, where standard error is a terminal.
   * @param describe null for no line
   * @returns a function that ends it
   */
  showStatus(describe: () => string | null): () => void {
    if (this.#stderrWidth === null) return () => undefined;
    const timer = setInterval(() => {
      const line = describe();
      this.#writeStderr(line === null ? '' : `${' '.repeat(STEP_INDENT)}${this.onStderr('dim', line)}`);
      this.#hasStatus = line !== null;
    }, STATUS_INTERVAL_MS);
    return () => {
      clearInterval(timer);
      this.#writeStderr('');
    };
  }

  /** Writes in place of the line that `showStatus` shows. */
  #writeStderr(text: string): void {
    this.streams.stderr.write(`${this.#hasStatus ? CLEAR_LINE : ''}${text}`);
    this.#hasStatus = false;
  }

  /** Prints a result while the command runs, with `--json` as a document in one line. */
  line(text: string, document: unknown): void {
    this.streams.stdout.write(`${this.#isJson ? stringifyWithBigInt(document) : printable(text)}\n`);
  }

  /** The width that results have to fit into; null where they go into a pipe or a file. */
  get width(): number | null {
    return widthOf(this.streams.stdout);
  }

  /** A time of the API, on a terminal as its distance from now. */
  readonly time = (instant: string): string => (this.width === null ? instant : relativeTime(instant, new Date()));

  /** A message of the API, on a terminal with its times as a person reads them. */
  readonly prose = (text: string): string => (this.width === null ? text : withLocalTimes(text, new Date()));

  /** The style of lines that `progress` prints. */
  get progressStyle(): Style {
    const width = this.#stderrWidth;
    return {
      onStdout: this.onStderr,
      prose: this.prose,
      time: this.time,
      width: width === null ? null : width - STEP_INDENT,
    };
  }

  get #stderrWidth(): number | null {
    return widthOf(this.streams.stderr);
  }

  /** Uses colours only on a terminal that supports them. */
  readonly onStdout = (format: Format, text: string): string =>
    styleText(format, text, { stream: this.streams.stdout });

  readonly onStderr = (format: Format, text: string): string =>
    styleText(format, text, { stream: this.streams.stderr });

  /** Prints the report of the command. */
  finish({ text, summary, ...outcome }: Report): void {
    const { stdout, stderr } = this.streams;
    if (this.#isJson) stdout.write(`${stringifyWithBigInt(outcome)}\n`);
    else if (text !== '') stdout.write(`${text}\n`);
    const mark = outcome.ok ? 'ok' : outcome.status.replace('_', ' ');
    const message = this.#isJson ? outcome.message : (summary ?? outcome.message);
    if (message !== '') {
      const shown = hang('', `${mark}: ${printable(this.prose(message))}`, this.#stderrWidth);
      stderr.write(`${this.onStderr(outcome.ok ? 'green' : 'red', mark)}${shown.slice(mark.length)}\n`);
    }
    if (this.#isJson) return;
    for (const { command, when } of outcome.next) stderr.write(`${this.#nextLine(printable(command), when)}\n`);
  }

  /** A command is never broken, because it is copied. */
  #nextLine(command: string, when: string): string {
    const line = `next: ${command}  (${when})`;
    return line.length <= (this.#stderrWidth ?? Infinity) ? line : `next: ${command}\n      (${when})`;
  }
}

function widthOf({ isTTY, columns }: NodeJS.WriteStream): number | null {
  return isTTY && columns > 0 ? columns : null;
}
