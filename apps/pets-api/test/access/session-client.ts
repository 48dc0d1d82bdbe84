import {
  EDGE_FEED_PROTOCOL,
  edgeSessionMessageSchema,
  type EdgeSessionAck,
  type EdgeSessionMessage,
} from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { WebSocket } from 'ws';
import { EDGE_TOKEN } from '../harness.js';

type Kind = EdgeSessionMessage['kind'];
export type SessionMessage<K extends Kind> = Extract<EdgeSessionMessage, { kind: K }>;

/** An edge's side of a session. */
export interface SessionClient {
  readonly edgeId: string;
  readonly socket: WebSocket;
  /** Everything received, in order. */
  readonly messages: readonly EdgeSessionMessage[];
  /** The texts as they came. */
  readonly texts: readonly string[];
  /** Close code; undefined while it is open. */
  readonly closeCode: () => number | undefined;
  of<K extends Kind>(kind: K): SessionMessage<K>[];
  ack(version: number, fields?: Partial<EdgeSessionAck>): EdgeSessionAck;
  /** Waits for the nth message of a kind, from 1. */
  next<K extends Kind>(kind: K, nth?: number): Promise<SessionMessage<K>>;
  closed(): Promise<number>;
  close(): void;
}

export interface SessionOptions {
  readonly edgeId: string;
  readonly epoch?: string | undefined;
  readonly after: number;
  readonly protocol?: number;
  readonly token?: string;
}

const LIMIT = { timeoutMs: 15_000 };

/** Resolves when the session is open. @throws Error with the status and the text of a refusal */
export async function openSession(apiUrl: string, options: SessionOptions): Promise<SessionClient> {
  const { edgeId, epoch, after, protocol = EDGE_FEED_PROTOCOL, token = EDGE_TOKEN } = options;
  const query = `after=${after}${epoch === undefined ? '' : `&epoch=${epoch}`}&protocol=${protocol}`;
  const url = `${apiUrl.replace(/^http/, 'ws')}/internal/edge/session?${query}`;
  const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` }, perMessageDeflate: false });
  const messages: EdgeSessionMessage[] = [];
  const texts: string[] = [];
  let code: number | undefined;
  socket.on('message', (data) => {
    const text = (data as Buffer).toString(); // by default
    texts.push(text);
    messages.push(edgeSessionMessageSchema.parse(JSON.parse(text)));
  });
  socket.on('close', (closeCode) => (code = closeCode));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve).once('error', reject);
    socket.once('unexpected-response', (_request, response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => reject(new Error(`${response.statusCode} ${text}`)));
    });
  });
  const of = <K extends Kind>(kind: K) =>
    messages.filter((message): message is SessionMessage<K> => message.kind === kind);
  return {
    edgeId,
    socket,
    messages,
    texts,
    closeCode: () => code,
    of,
    ack: (version, fields = {}) => {
      const addresses = { httpAddress: '127.0.0.1:1', httpsAddress: '127.0.0.1:2' };
      const ack = {
        kind: 'ack',
        edgeId,
        epoch: epoch ?? '',
        version,
        ...addresses,
        sentAtMs: Date.now(),
        ...fields,
      } as const;
      socket.send(JSON.stringify(ack));
      return ack;
    },
    next: async (kind, nth = 1) => {
      await waitUntil(() => of(kind).length >= nth, { ...LIMIT, message: `${kind} ${nth} of ${edgeId}` });
      return of(kind)[nth - 1] as SessionMessage<typeof kind>;
    },
    closed: async () => {
      await waitUntil(() => code !== undefined, { ...LIMIT, message: `the end of ${edgeId}` });
      return code ?? 0;
    },
    close: () => socket.terminate(),
  };
}
