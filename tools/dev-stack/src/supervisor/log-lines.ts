/** A service's line of JSON as one that people read: `12:14:55 pets-api GET /v1/pets 200 11 ms`. */
import { styleText } from 'node:util';
import type { LineSink } from '../processes/child.js';

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

/** With its stack where something has failed, and by its message in a warning. */
function errorOf(error: unknown, level: number): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, message } = error as { stack?: unknown; message?: unknown }; // as pino writes an error
  if (level >= 50 && typeof stack === 'string') return `\n${stack.replaceAll(/^/gm, '    ')}`;
  return typeof message === 'string' ? `: ${message}` : '';
}

function clock(at: Date): string {
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
