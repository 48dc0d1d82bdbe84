import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A TCP port of 127.0.0.1 that was free a moment ago. Somebody may take it before you do, which is rare. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = (server.address() as AddressInfo).port; // listening on TCP: never a pipe's path
  server.close();
  await once(server, 'close');
  return port;
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
      const code = await (protocol === 'tcp' ? tryTcp(port) : tryUdp(port));
      if (code) throw new Error(`${describe(code, port)}: set ${variable} to another port`);
    }
  }
}

function describe(code: string, port: number): string {
  if (code === 'EADDRINUSE') return `port ${port} is in use`;
  if (code === 'EACCES') return `port ${port} needs privileges this user does not have`;
  return `port ${port} cannot be used (${code})`;
}

function tryTcp(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}

function tryUdp(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.bind(port, '127.0.0.1', () => socket.close(() => resolve(undefined)));
  });
}
