import { createServer, type Socket } from 'node:net';

/**
 * An application that fails as the path of a request says, and answers everything else with its body. A process of its own, so
 * that it can be killed, and so that what it sends takes no time from the visitors. `failing-application-main PORT BODY`
 */

const [port = '', body = ''] = process.argv.slice(2);

const OK = 'HTTP/1.1 200 OK\r\n';
/** A head that never ends, to a reader who does not stop. */
const HEAD_BYTES = 100 * 1024 * 1024;
const HEAD_PIECE = Buffer.from(`X: ${'y'.repeat(1_000)}\r\n`.repeat(64));

const failures: Readonly<Record<string, (socket: Socket) => void>> = {
  '/stall-before-head': () => undefined,
  '/stall-in-head': (socket) => void socket.write(`${OK}Content-Length: 5\r\nX-Half: `),
  '/stall-in-body': (socket) => void socket.write(`${OK}Content-Length: 100000\r\n\r\nhalf`),
  '/reset': (socket) => void socket.resetAndDestroy(),
  '/reset-in-body': (socket) => {
    socket.write(`${OK}Content-Length: 100000\r\n\r\nhalf`, () => setTimeout(() => socket.resetAndDestroy(), 50));
  },
  '/close': (socket) => void socket.end(),
  '/close-in-head': (socket) => void socket.end(`${OK}X-Half: `),
  '/shorter-than-announced': (socket) => void socket.end(`${OK}Content-Length: 1000\r\n\r\nhalf`),
  '/chunk-shorter-than-announced': (socket) =>
    void socket.end(`${OK}Transfer-Encoding: chunked\r\n\r\nff\r\nhalf\r\n0\r\n\r\n`),
  '/longer-than-announced': (socket) => void socket.write(`${OK}Content-Length: 4\r\n\r\nfull${'x'.repeat(1_000)}`),
  '/two-lengths': (socket) => void socket.end(`${OK}Content-Length: 4\r\nContent-Length: 5\r\n\r\nfull?`),
  '/garbage': (socket) => void socket.end(Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 167) % 256))),
  '/unasked-101': (socket) =>
    void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhalf'),
  '/redirect': (socket) =>
    void socket.write('HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n'),
  '/endless-head': (socket) => {
    socket.write(OK);
    let bytes = 0;
    const send = () => {
      while (bytes < HEAD_BYTES && !socket.destroyed) {
        bytes += HEAD_PIECE.length;
        if (!socket.write(HEAD_PIECE)) return;
      }
    };
    socket.on('drain', send);
    send();
  },
};

createServer((socket) => {
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    for (let end = received.indexOf('\r\n\r\n'); end !== -1; end = received.indexOf('\r\n\r\n')) {
      const path = received.split(' ', 2)[1] ?? '';
      received = received.slice(end + 4);
      const fail = Object.hasOwn(failures, path) ? failures[path] : undefined;
      if (fail === undefined) socket.write(`${OK}Content-Length: ${body.length}\r\n\r\n${body}`);
      else fail(socket);
    }
  });
}).listen(Number(port), '127.0.0.1');
