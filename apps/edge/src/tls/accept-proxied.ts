import { isIP, type Server, type Socket } from 'node:net';
import type { Networks } from '@pets/platform';
import { setClientAddress } from './client-address.js';
import { resetSocket } from './connection.js';
import { HANDSHAKE_TIMEOUT_MS } from './throttle-handshakes.js';

/** Connections whose header is awaited, which no quota counts yet. A load balancer sends it at once. */
const MAX_WAITING = 1_024;

/**
 * Reads the PROXY protocol header of connections from trusted proxies before the server gets them, so that limits and the
 * access log use the client's address. A trusted peer may also connect without a header, as health checks and probes do.
 * From any other peer a header is data, which neither TLS nor HTTP accepts.
 *
 * Without trusted proxies it changes nothing: a look-up in the empty list would cost each handshake an object in C++.
 *
 * Call it after all other `connection` listeners are registered: they run when the header has been read.
 * @param onRefused called for each connection that is reset because of its header
 */
export function acceptProxied(server: Server, trusted: Networks, onRefused: () => void): void {
  if (trusted.isEmpty) return;
  const listeners = server.rawListeners('connection');
  const accept = (socket: Socket) => listeners.forEach((listener) => void Reflect.apply(listener, server, [socket]));
  let waiting = 0;
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    if (!trusted.includes(withoutMapping(socket.remoteAddress ?? ''))) {
      accept(socket);
      return;
    }
    const refuse = () => {
      onRefused();
      resetSocket(socket);
    };
    if (waiting >= MAX_WAITING) {
      refuse();
      return;
    }
    waiting += 1;
    readHeader(
      socket,
      () => (waiting -= 1),
      refuse,
      () => accept(socket),
    );
  });
}

/** IPv4 as such, where a socket shows it as IPv6. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

/**
 * Reads until the header is complete, and puts back what follows it. Without a complete header in time, it refuses.
 * @param onEnd called once, when it does not read any more
 */
function readHeader(socket: Socket, onEnd: () => void, refuse: () => void, accept: () => void): void {
  let received = Buffer.alloc(0);
  const timer = setTimeout(() => end(refuse), HANDSHAKE_TIMEOUT_MS);
  const end = (next: () => void) => {
    clearTimeout(timer);
    onEnd();
    socket.off('readable', onReadable).off('close', onClose).off('error', onError);
    next();
  };
  const onClose = () => end(() => undefined);
  const onError = () => undefined; // `close` follows
  const onReadable = () => {
    const chunk: unknown = socket.read();
    if (!Buffer.isBuffer(chunk)) {
      if (socket.readableEnded) socket.destroy();
      return;
    }
    received = Buffer.concat([received, chunk]);
    const header = parseProxyHeader(received);
    if (header.kind === 'incomplete') return;
    if (header.kind === 'malformed') {
      end(refuse);
      return;
    }
    const rest = header.kind === 'complete' ? received.subarray(header.bytes) : received;
    end(() => {
      if (rest.length > 0) socket.unshift(rest);
      if (header.kind === 'complete' && header.client !== undefined) setClientAddress(socket, header.client);
      accept();
    });
  };
  socket.on('readable', onReadable).on('close', onClose).on('error', onError);
}

/** PROXY protocol header in the first bytes of a connection. */
type ProxyHeader =
  /** The bytes are not the beginning of a header. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed' }
  | {
      readonly kind: 'complete';
      /** Length of the header; what follows is the client's. */
      readonly bytes: number;
      /** The client's IP address; undefined when the proxy speaks for itself (`LOCAL`, `UNKNOWN`). */
      readonly client: string | undefined;
    };

const V1_PREFIX = Buffer.from('PROXY ');
/** "A 108-byte buffer is always enough to store all the line and a trailing zero" (§2.1). */
const V1_MAX_BYTES = 107;

const V2_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const V2_FIXED_BYTES = 16;
/** Addresses take 36 bytes; proxies add a few hundred bytes of their own (TLVs). The format would allow 64 KiB. */
const V2_MAX_VARIABLE_BYTES = 4_096;

const absent = { kind: 'absent' } as const;
const incomplete = { kind: 'incomplete' } as const;
const malformed = { kind: 'malformed' } as const;

/**
 * Parses a header of the PROXY protocol, version 1 or 2 (haproxy.org/download/3.0/doc/proxy-protocol.txt). Connections that
 * were not TCP carry no address that we could use: the proxy's own address counts then.
 * @param bytes everything received so far
 */
export function parseProxyHeader(bytes: Buffer): ProxyHeader {
  if (isBeginning(bytes, V2_SIGNATURE)) return bytes.length < V2_SIGNATURE.length ? incomplete : parseVersion2(bytes);
  if (isBeginning(bytes, V1_PREFIX)) return bytes.length < V1_PREFIX.length ? incomplete : parseVersion1(bytes);
  return absent;
}

/** Whether the bytes begin with the prefix, or are the beginning of it. */
function isBeginning(bytes: Buffer, prefix: Buffer): boolean {
  const length = Math.min(bytes.length, prefix.length);
  return bytes.subarray(0, length).equals(prefix.subarray(0, length));
}

function parseVersion1(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, V1_MAX_BYTES).indexOf('\r\n');
  if (end === -1) return bytes.length < V1_MAX_BYTES ? incomplete : malformed;
  const [, family, source = '', destination = '', ...ports] = bytes.toString('latin1', 0, end).split(' ');
  if (family === 'UNKNOWN') return { kind: 'complete', bytes: end + 2, client: undefined };
  const version = family === 'TCP4' ? 4 : family === 'TCP6' ? 6 : undefined;
  const isValid = version !== undefined && isIP(source) === version && isIP(destination) === version;
  if (!isValid || ports.length !== 2 || !ports.every(isPort)) return malformed;
  return { kind: 'complete', bytes: end + 2, client: source };
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535;
}

function parseVersion2(bytes: Buffer): ProxyHeader {
  if (bytes.length < V2_FIXED_BYTES) return incomplete;
  const variableBytes = bytes.readUInt16BE(14);
  if (variableBytes > V2_MAX_VARIABLE_BYTES) return malformed;
  const end = V2_FIXED_BYTES + variableBytes;
  if (bytes.length < end) return incomplete;
  const command = bytes.readUInt8(12);
  if (command === 0x20) return { kind: 'complete', bytes: end, client: undefined }; // LOCAL
  if (command !== 0x21) return malformed;
  const client = addressOf(bytes.readUInt8(13), bytes.subarray(V2_FIXED_BYTES, end));
  return client === null ? malformed : { kind: 'complete', bytes: end, client };
}

/** The source address of a version 2 header; undefined for families without one; null when the header is too short. */
function addressOf(family: number, addresses: Buffer): string | undefined | null {
  if (family === 0x11) return addresses.length < 12 ? null : addresses.subarray(0, 4).join('.');
  if (family !== 0x21) return undefined;
  if (addresses.length < 36) return null;
  return Array.from({ length: 8 }, (_, index) => addresses.readUInt16BE(2 * index).toString(16)).join(':');
}
