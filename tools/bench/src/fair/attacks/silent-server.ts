import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** A server that accepts connections and says nothing, on this machine. */
export async function startSilentServer(): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const server = createServer((socket) => void socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // of a TCP server
  return { port, close: async () => void server.close() };
}
