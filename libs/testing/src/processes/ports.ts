import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';

/**
 * Below what systems give to outgoing connections and to listeners at port 0 (Linux from 32768, macOS from 49152): a
 * port of these is not taken by chance before its finder listens there, nor while its server is restarted.
 */
const FIRST_PORT = 12_000;
const LAST_PORT = 32_767;
const BLOCK = 16;
const BLOCKS = Math.floor((LAST_PORT + 1 - FIRST_PORT) / BLOCK);

/** Unused ports of the blocks this process has claimed. */
const unused: number[] = [];
/** One for all who find nothing left. */
let claiming: Promise<void> | undefined;

/**
 * A port that nobody listens on over TCP or UDP, and that no other process of ours is given, nor this one again.
 * @throws Error when every block is claimed
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = unused.shift();
    if (port === undefined) await (claiming ??= claimBlock().finally(() => (claiming = undefined)));
    else if (await isFree(port)) return port;
  }
}

/** The claim on a block is a listener at its first port, which the system closes with the process, however it ends. */
async function claimBlock(): Promise<void> {
  const start = Math.floor(Math.random() * BLOCKS);
  for (let step = 0; step < BLOCKS; step += 1) {
    const first = FIRST_PORT + ((start + step) % BLOCKS) * BLOCK;
    const claim = createServer((socket) => socket.destroy()).unref();
    if (await couldListen(claim, first)) {
      for (let port = first + 1; port < first + BLOCK; port += 1) unused.push(port);
      return;
    }
  }
  throw new Error(`no ports are left between ${FIRST_PORT} and ${LAST_PORT}`);
}

function couldListen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
  });
}

async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', undefined]) {
    if ((await tryTcp(port, host)) ?? (await tryUdp(port, host))) return false;
  }
  return true;
}

export type WantedPort = {
  /** The environment variable that sets it, for the message. */
  readonly variable: string;
  readonly port: number;
  readonly protocols: readonly ('tcp' | 'udp')[];
};

/**
 * Looks whether every port can be had, before anything is started.
 * @throws Error naming the port and its variable
 */
export async function assertPortsFree(wanted: readonly WantedPort[]): Promise<void> {
  for (const [index, { variable, port, protocols }] of wanted.entries()) {
    const twin = wanted.slice(0, index).find((earlier) => earlier.port === port);
    if (twin) throw new Error(`port ${port} is set twice: ${twin.variable} and ${variable} need different ports`);
    for (const protocol of protocols) {
      const code = await (protocol === 'tcp' ? tryTcp(port, '127.0.0.1') : tryUdp(port, '127.0.0.1'));
      if (code) throw new Error(`${describe(code, port)}: set ${variable} to another port`);
    }
  }
}

function describe(code: string, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} is in use`;
  if (code === 'EACCES') return `port ${port} needs privileges this user does not have`;
  return `port ${port} cannot be used (${code})`;
}

/** @param host none: every address */
function tryTcp(port: number, host: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => resolve(undefined)));
  });
}

function tryUdp(port: number, host: string | undefined): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.bind(port, host, () => socket.close(() => resolve(undefined)));
  });
}
