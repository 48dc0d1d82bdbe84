import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, waitUntil } from '@pets/testing';
import type { Ports } from '../src/processes/sockets.js';

const sources = new URL('../../../tools/jest/sources.mjs', import.meta.url).href;
const loader = `data:text/javascript,import { readSources } from "${sources}"; readSources("node:test");`;
/** Options with which Node runs a program from its sources. */
export const sourceOptions = ['--import', loader];
export const mainProgram = join(import.meta.dirname, '../src/main.ts');
const START_LIMIT_MS = 40_000;

/** The edge as production runs it: a feed process and serving processes, all from their sources. */
export class EdgeProcesses {
  readonly ports: Ports;
  readonly lines: string[] = [];
  readonly #healthPort: number;
  readonly #feed: ChildProcess;

  private constructor(ports: Ports, healthPort: number, feed: ChildProcess) {
    this.ports = ports;
    this.#healthPort = healthPort;
    this.#feed = feed;
    for (const stream of [feed.stdout, feed.stderr])
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
  }

  /** Resolves when it serves. */
  static async start(env: Readonly<Record<string, string>>, wanted?: Ports): Promise<EdgeProcesses> {
    const ports = wanted ?? { http: await freePort(), https: await freePort() };
    const healthPort = await freePort();
    const feed = spawn(process.execPath, [...sourceOptions, mainProgram], {
      env: {
        ...env,
        NODE_ENV: 'production',
        EDGE_HTTP_PORT: String(ports.http),
        EDGE_HTTPS_PORT: String(ports.https),
        HEALTH_PORT: String(healthPort),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const edge = new EdgeProcesses(ports, healthPort, feed);
    await edge.ready();
    return edge;
  }

  get feedPid(): number {
    return this.#feed.pid ?? 0;
  }

  get hasExited(): boolean {
    return this.#feed.exitCode !== null || this.#feed.signalCode !== null;
  }

  /** The ids of the serving processes. */
  servingPids(): readonly number[] {
    return childrenOf(this.feedPid, 'serving-main');
  }

  /** The open sockets of a process. */
  socketsOf(pid: number): number {
    return readdirSync(`/proc/${pid}/fd`).filter((name) => linkOf(`/proc/${pid}/fd/${name}`).startsWith('socket:'))
      .length;
  }

  /** Connections that no process has accepted yet. */
  queuedConnections(): number {
    const port = this.ports.https.toString(16).toUpperCase().padStart(4, '0');
    // A line: "  12: LOCAL:PORT REMOTE:PORT ST TXQUEUE:RXQUEUE …"; for a socket that listens (0A), RXQUEUE is its queue.
    const line = new RegExp(`:${port} \\S+ 0A \\S+:(\\S+)`).exec(read('/proc/net/tcp'));
    return Number.parseInt(line?.[1] ?? '0', 16);
  }

  async ready(): Promise<void> {
    const isReady = async () => (await this.health('/readyz')).status === 200;
    await waitUntil(isReady, { message: `the edge is ready: ${this.lines.join('\n')}`, timeoutMs: START_LIMIT_MS });
  }

  /** @returns status 0 when nothing answers */
  async health(path: string): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.#healthPort}${path}`);
      return { status: response.status, text: await response.text() };
    } catch {
      return { status: 0, text: '' };
    }
  }

  /** The value of a series of `/metrics`; 0 when there is none. */
  async count(series: string): Promise<number> {
    const { text } = await this.health('/metrics');
    const line = text.split('\n').find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1) ?? 0);
  }

  /** Signals the feed process. @returns its exit code */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    if (this.hasExited) return this.#feed.exitCode;
    const exited = once(this.#feed, 'exit');
    this.#feed.kill(signal);
    await exited;
    return this.#feed.exitCode;
  }
}

/** The ids of processes that a process has started with this program. */
export function childrenOf(pid: number, program: string): readonly number[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === pid)
    .filter((entry) => read(`/proc/${entry}/cmdline`).includes(program))
    .map(Number);
}

/** Whether a process exists and is no zombie. */
export function isAlive(pid: number): boolean {
  return /^State:\s+[^ZX]/m.test(read(`/proc/${pid}/status`));
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // closed since the folder was read
  }
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
