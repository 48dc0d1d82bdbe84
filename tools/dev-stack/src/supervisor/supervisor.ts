import { readFileSync } from 'node:fs';
import { styleText } from 'node:util';
import {
  type ChildSpec,
  describeExit,
  type LineSink,
  type Reaper,
  type RunningChild,
  startChild,
  startReaper,
} from '@pets/testing/processes';

export type StopReason = { readonly kind: 'asked' } | { readonly kind: 'failed'; readonly why: string };

/** How much of a task's output is quoted when it fails. */
const QUOTED_LINES = 20;

/**
 * Keeps a set of children that live and end together: if one ends unasked, all are stopped and the reason is reported. A stop
 * ends them rank by rank, each within its own limits.
 */
export class Supervisor {
  readonly reaper: Reaper;
  readonly onLine: LineSink;
  readonly #children = new Set<RunningChild>();
  readonly #stopping = new AbortController();
  readonly #stopped = Promise.withResolvers<StopReason>();

  constructor({ reaper, onLine }: { reaper: Reaper; onLine: LineSink }) {
    this.reaper = reaper;
    this.onLine = onLine;
    void reaper.exited.then(() => this.stop({ kind: 'failed', why: 'the reaper, which ends orphans, has gone' }));
  }

  /** Aborted as soon as stopping begins, so that no wait outlives it. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Resolves when every child has ended, with what began it. */
  get stopped(): Promise<StopReason> {
    return this.#stopped.promise;
  }

  /** Starts a child that must not end before it is stopped. */
  start(spec: ChildSpec): void {
    const child = this.startReplaceable(spec);
    void child.exited.then((exit) => this.stop({ kind: 'failed', why: `${spec.name} ${describeExit(exit)}` }));
  }

  /** Starts a child that the caller may stop and replace. If it ends, the others continue. */
  startReplaceable(spec: ChildSpec, onLine: LineSink = this.onLine): RunningChild {
    return this.#launch(spec, onLine);
  }

  /**
   * Runs a child to its end.
   * @returns what it wrote to its standard output and error, by line
   * @throws Error quoting the last lines when it does not exit with 0
   */
  async run(spec: ChildSpec): Promise<readonly string[]> {
    const lines: string[] = [];
    const exit = await this.#launch(spec, (_name, line) => void lines.push(line)).exited;
    this.signal.throwIfAborted();
    if (exit.code === 0) return lines;
    throw new Error([`${spec.name} ${describeExit(exit)}`, ...lines.slice(-QUOTED_LINES)].join('\n'));
  }

  /** The first call counts; a stop that is under way is not to be hurried or repeated. */
  stop(reason: StopReason): void {
    if (this.signal.aborted) return;
    this.#stopping.abort(new Error('the stack is stopping'));
    void this.#stopAll().then(() => this.#stopped.resolve(reason));
  }

  #launch(spec: ChildSpec, onLine: LineSink): RunningChild {
    this.signal.throwIfAborted();
    const child = startChild(spec, { reaper: this.reaper, onLine });
    this.#children.add(child);
    void child.exited.then(() => this.#children.delete(child));
    return child;
  }

  async #stopAll(): Promise<void> {
    const ranks = [...new Set([...this.#children].map((child) => child.stopRank))].sort((a, b) => a - b);
    for (const rank of ranks) {
      await Promise.all([...this.#children].filter((child) => child.stopRank === rank).map((child) => child.stop()));
    }
    this.reaper.close();
  }
}

const LOOK_EVERY_MS = 500;
const SHELL = /^(?:sh|bash|dash|zsh)$/;

type SuperviseOptions = {
  readonly print: (line: string) => void;
  /** For the reason of a stop that nobody asked for. */
  readonly complain: (line: string) => void;
  /** Whether to stop when the process that started us has gone: npm, when it was killed outright. */
  readonly stopWithParent: boolean;
  /** Receives the lines of the children. */
  readonly onLine?: LineSink;
};

/**
 * Runs a stack until it is asked to stop or something in it ends. `bringUp` starts the children; the promise resolves
 * after all have ended, with the exit code of this process: 0 only after a stop that was asked for.
 */
export async function supervise(
  bringUp: (supervisor: Supervisor) => Promise<void>,
  { print, complain, stopWithParent, onLine = lineSink(print, process.stdout.isTTY) }: SuperviseOptions,
): Promise<number> {
  const supervisor = new Supervisor({ reaper: startReaper(), onLine });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!supervisor.signal.aborted) print(`received ${signal}`);
      supervisor.stop({ kind: 'asked' });
    });
  }
  const unwatch = stopWithParent
    ? watchParents(() => supervisor.stop({ kind: 'failed', why: 'the process that started this has gone' }))
    : () => undefined;
  bringUp(supervisor).catch((error: unknown) => {
    supervisor.stop({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
  });
  supervisor.signal.addEventListener('abort', () => print('stopping'));
  const reason = await supervisor.stopped;
  unwatch();
  if (reason.kind === 'asked') {
    print('stopped');
    return 0;
  }
  complain(`stopped: ${reason.why}`);
  return 1;
}

/**
 * Calls back once when a process above this one has gone. npm starts scripts through a shell, which stays when npm is
 * killed outright; so the shell's own parent is watched as well (on Linux, where it can be seen).
 * @returns how to stop watching
 */
function watchParents(onGone: () => void): () => void {
  const parent = process.ppid;
  const viaShell = readStat(parent);
  const grandparent = viaShell && SHELL.test(viaShell.name) ? viaShell.parent : undefined;
  const timer = setInterval(() => {
    const isGone = process.ppid !== parent || (grandparent !== undefined && readStat(parent)?.parent !== grandparent);
    if (!isGone) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function readStat(pid: number): { name: string; parent: number } | undefined {
  try {
    const match = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return match ? { name: match[1] ?? '', parent: Number(match[2]) } : undefined;
  } catch {
    return undefined; // gone, or a system without /proc
  }
}

const levels: Readonly<Record<number, string>> = { 10: 'trace', 20: 'debug', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' };

const serviceColours = {
  'pets-api': 'cyan',
  'domains-worker': 'magenta',
  edge: 'green',
  dashboard: 'blue',
} as const satisfies Record<string, Parameters<typeof styleText>[0]>;

/** Fields that every line has, or that a line says in other words. */
const hidden = new Set(['level', 'time', 'app', 'msg', 'pid', 'err', 'requestId', 'traceId', 'spanId']);
const hiddenOfRequests = new Set([...hidden, 'method', 'route', 'status', 'ms', 'address', 'completed']);

type Fields = Readonly<Record<string, unknown>>;

/** Prints readable lines with a colour for each service on a terminal; elsewhere the JSON of the services, which names them. */
export function lineSink(print: (line: string) => void, isTerminal: boolean): LineSink {
  if (!isTerminal) return (name, line) => print(parse(line) === null ? `[${name}] ${line}` : line);
  return (name, line) => {
    if (!isProbe(line)) print(readableLine(name, line, { now: new Date(), colours: true }));
  };
}

/** A successful check of health, which repeats all the time. */
function isProbe(line: string): boolean {
  const { msg, route, status } = parse(line) ?? {};
  return msg === 'request' && status === 200 && (route === '/readyz' || route === '/livez' || route === '/metrics');
}

/** @returns one line, and below it the stack of an error */
export function readableLine(name: string, line: string, { now, colours }: { now: Date; colours: boolean }): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    colours ? styleText(style, text, { validateStream: false }) : text;
  const fields = parse(line);
  const time = clock(fields === null ? now : new Date(String(fields['time'])));
  const label = paint(Object.entries(serviceColours).find(([service]) => service === name)?.[1] ?? 'gray', name);
  if (fields === null) return `${paint('gray', time)} ${label} ${line}`;
  const level = Number(fields['level']);
  const severity = levels[level] === undefined ? '' : paint(level >= 50 ? 'red' : 'yellow', levels[level]) + ' ';
  return `${paint('gray', time)} ${label} ${severity}${textOf(fields)}${errorOf(fields['err'], level)}`;
}

function parse(line: string): Fields | null {
  if (!line.startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'level' in value && 'msg' in value ? { ...value } : null;
  } catch {
    return null; // a text that begins like JSON
  }
}

function textOf(fields: Fields): string {
  if (fields['msg'] !== 'request' || !('status' in fields)) return `${show(fields['msg'])}${others(fields, hidden)}`;
  const { method, route, status, ms } = fields;
  const duration = typeof ms === 'number' ? ` ${Math.round(ms)} ms` : '';
  const end = fields['completed'] === false ? ' (client left)' : '';
  return `${show(method ?? '?')} ${show(route ?? '(no route)')} ${show(status)}${duration}${end}${others(fields, hiddenOfRequests)}`;
}

function others(fields: Fields, known: ReadonlySet<string>): string {
  return Object.entries(fields)
    .filter(([name]) => !known.has(name))
    .map(([name, value]) => ` ${name}=${show(value)}`)
    .join('');
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Returns the stack of an error in an error line, and its message in a warning. */
function errorOf(error: unknown, level: number): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { stack?: unknown; message?: unknown }; // as pino writes an error
  if (level >= 50 && typeof stack === 'string') return `\n${stack.replaceAll(/^/gm, '    ')}`;
  return typeof message === 'string' ? `: ${message}` : '';
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
