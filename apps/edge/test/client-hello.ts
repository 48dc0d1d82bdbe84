import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';

/** The first message of a handshake, made by hand (RFC 5246 §7.4.1, RFC 8446 §4.1), to see what a server takes of an offer. */
export interface Offer {
  readonly servername: string;
  readonly version: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3';
  readonly suites: readonly number[];
  readonly groups: readonly number[];
}

/** The choice of the server; with TLS 1.3 the group that it requests a key share for. */
export interface Choice {
  readonly version: number;
  readonly suite: number;
  readonly group: number | undefined;
}

const versions = { TLSv1: 0x0301, 'TLSv1.1': 0x0302, 'TLSv1.2': 0x0303, 'TLSv1.3': 0x0303 } as const;
const TLS13 = 0x0304;
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_HELLO = 2;
const SERVER_NAME = 0;
const SUPPORTED_GROUPS = 10;
const POINT_FORMATS = 11;
const SIGNATURE_ALGORITHMS = 13;
const SUPPORTED_VERSIONS = 43;
const KEY_SHARE = 51;
/** ECDSA, RSA-PSS and RSA with SHA-256, 384 and 512; and with SHA-1, since that must not be why an offer is refused. */
const signatures = [0x0403, 0x0503, 0x0603, 0x0804, 0x0805, 0x0806, 0x0401, 0x0501, 0x0601, 0x0203, 0x0201];

/** @returns undefined where the server refuses */
export async function makeOffer(port: number, offer: Offer): Promise<Choice | undefined> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  socket.write(record(clientHello(offer)));
  const received = await new Promise<Buffer>((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (bytes.length >= 5 && bytes.length >= 5 + bytes.readUInt16BE(3)) resolve(bytes);
    });
    void once(socket, 'close').then(() => resolve(bytes));
  });
  socket.destroy();
  return received.readUInt8(0) === HANDSHAKE ? readServerHello(received.subarray(5)) : undefined;
}

/** Offers all, then all but what was taken, and so on, until the server takes none of the rest. */
export async function takenOf(port: number, offer: Offer, what: 'suites' | 'groups'): Promise<readonly number[]> {
  const taken: number[] = [];
  for (;;) {
    const choice = await makeOffer(port, { ...offer, [what]: offer[what].filter((value) => !taken.includes(value)) });
    const value = what === 'suites' ? choice?.suite : choice?.group;
    if (value === undefined) return taken.toSorted((one, other) => one - other);
    taken.push(value);
  }
}

function clientHello({ servername, version, suites, groups }: Offer): Buffer {
  const name = Buffer.from(servername);
  const extensions = [
    extension(SERVER_NAME, list(2, Buffer.concat([Buffer.from([0]), list(2, name)]))),
    extension(SUPPORTED_GROUPS, list(2, words(groups))),
    extension(POINT_FORMATS, Buffer.from([1, 0])),
    extension(SIGNATURE_ALGORITHMS, list(2, words(signatures))),
    // No share of a key: the server says which group it wants one of (RFC 8446 §4.1.4).
    ...(version === 'TLSv1.3'
      ? [extension(SUPPORTED_VERSIONS, list(1, words([TLS13]))), extension(KEY_SHARE, list(2, Buffer.alloc(0)))]
      : []),
  ];
  const sessionId = Buffer.from([0]);
  const noCompression = Buffer.from([1, 0]);
  const body = [words([versions[version]]), randomBytes(32), sessionId, list(2, words(suites)), noCompression];
  const all = Buffer.concat([...body, list(2, Buffer.concat(extensions))]);
  return Buffer.concat([Buffer.from([CLIENT_HELLO]), list(3, all)]);
}

function readServerHello(message: Buffer): Choice | undefined {
  if (message.readUInt8(0) !== SERVER_HELLO) return undefined;
  const version = message.readUInt16BE(4);
  let at = 4 + 2 + 32;
  at += 1 + message.readUInt8(at);
  const suite = message.readUInt16BE(at);
  const end = 4 + message.readUIntBE(1, 3);
  const found = new Map<number, Buffer>();
  for (at += 5; at + 4 <= end; at += 4 + message.readUInt16BE(at + 2))
    found.set(message.readUInt16BE(at), message.subarray(at + 4, at + 4 + message.readUInt16BE(at + 2)));
  return {
    version: found.get(SUPPORTED_VERSIONS)?.readUInt16BE(0) ?? version,
    suite,
    group: found.get(KEY_SHARE)?.readUInt16BE(0),
  };
}

function record(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([HANDSHAKE, 3, 1]), list(2, message)]);
}

function extension(type: number, content: Buffer): Buffer {
  return Buffer.concat([words([type]), list(2, content)]);
}

function list(lengthBytes: 1 | 2 | 3, content: Buffer): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(content.length, 0, lengthBytes);
  return Buffer.concat([length, content]);
}

function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  values.forEach((value, index) => bytes.writeUInt16BE(value, 2 * index));
  return bytes;
}
