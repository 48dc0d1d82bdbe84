import type { ClientRequest, IncomingMessage } from 'node:http';
import {
  EDGE_FEED_PROTOCOL,
  edgeSessionMessageSchema,
  MAX_SESSION_MESSAGE_BYTES,
  type EdgeSessionAck,
  type EdgeSessionMessage,
} from '@pets/contracts/edge-feed';
import { apiErrorSchema } from '@pets/contracts/errors';
import { WebSocket } from 'ws';

/** The session is not usable any more; the edge opens another one. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
}

/** The edge's position in the feed. */
export interface FeedPosition {
  readonly epoch: string;
  readonly version: number;
}

export interface FeedTarget {
  readonly baseUrl: string;
  readonly token: string;
}

const HANDSHAKE_LIMIT_MS = 5_000;

/** How long an orderly close waits for the answer of the API. */
const CLOSE_LIMIT_MS = 500;

/** More than a few seconds of acknowledgements: the API does not read. */
const MAX_UNSENT_BYTES = 1024 * 1024;

/** A refusal is one small JSON text. */
const MAX_REFUSAL_BYTES = 16 * 1024;

/** A WebSocket of the edge feed, as `edge-session.ts` of contracts describes it. */
export class FeedSession {
  readonly #socket: WebSocket;
  readonly #end = Promise.withResolvers<Error>();
  #isEnded = false;

  /** @param onMessage receives each message with its length in bytes */
  constructor(
    target: FeedTarget,
    position: FeedPosition,
    onMessage: (message: EdgeSessionMessage, bytes: number) => void,
  ) {
    this.#socket = connect(target, position);
    this.#watchEnd();
    this.#socket.on('message', (data, isBinary) => {
      if (this.#isEnded) return;
      try {
        if (isBinary || !Buffer.isBuffer(data)) throw new FeedError('a message is not text');
        onMessage(parseMessage(data.toString()), data.length);
      } catch (error) {
        this.end(error instanceof Error ? error : new FeedError(String(error)));
      }
    });
  }

  /** Resolves with the reason when the session has ended. Never rejects. */
  get ended(): Promise<Error> {
    return this.#end.promise;
  }

  /** Resolves when the API has accepted the session. @throws Error when it refused it, or does not answer in time */
  async opened(): Promise<void> {
    const socket = this.#socket;
    if (socket.readyState !== WebSocket.CONNECTING) return;
    await Promise.race([new Promise((resolve) => socket.once('open', resolve)), this.ended.then(rethrow)]);
  }

  send(ack: EdgeSessionAck): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_UNSENT_BYTES) this.end(new FeedError('the API reads no acknowledgements'));
    else this.#socket.send(JSON.stringify(ack));
  }

  /** Stops and continues to receive messages; the API notices it as a slow reader. */
  set isPaused(isPaused: boolean) {
    if (isPaused) this.#socket.pause();
    else this.#socket.resume();
  }

  /** Ends the session at once. */
  end(reason: Error): void {
    this.#reportEnd(reason);
    this.#socket.terminate();
  }

  /** Ends the session in order: after the messages that were sent before. */
  async close(reason: Error): Promise<void> {
    this.#reportEnd(reason);
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    if (this.#socket.readyState === WebSocket.CLOSED) return;
    const limit = setTimeout(() => this.#socket.terminate(), CLOSE_LIMIT_MS);
    this.#socket.resume();
    this.#socket.close(1001, 'the edge ends the session');
    await closed;
    clearTimeout(limit);
  }

  #watchEnd(): void {
    const socket = this.#socket;
    socket.on('error', (error) => this.#reportEnd(error)); // 'close' follows
    socket.on('close', (code, reason) => this.#reportEnd(new FeedError(describeClose(code, reason.toString()))));
    socket.on('unexpected-response', (request, response) => {
      void describeRefusal(request, response).then((text) => this.end(new FeedError(text)));
    });
  }

  #reportEnd(reason: Error): void {
    this.#isEnded = true;
    this.#end.resolve(reason);
  }
}

function connect({ baseUrl, token }: FeedTarget, position: FeedPosition): WebSocket {
  const query = new URLSearchParams({
    after: String(position.version),
    epoch: position.epoch,
    protocol: String(EDGE_FEED_PROTOCOL),
  });
  return new WebSocket(`${baseUrl}/internal/edge/session?${query.toString()}`, {
    headers: { authorization: `Bearer ${token}` },
    handshakeTimeout: HANDSHAKE_LIMIT_MS,
    maxPayload: MAX_SESSION_MESSAGE_BYTES,
    perMessageDeflate: false, // it costs memory for each session, and messages are small
  });
}

function rethrow(error: Error): never {
  throw error;
}

function parseMessage(text: string): EdgeSessionMessage {
  const parsed = edgeSessionMessageSchema.safeParse(parseIfJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new FeedError(`a message is not a feed message (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`);
}

function describeClose(code: number, reason: string): string {
  return `the API ended the session (${code}${reason === '' ? '' : `: ${reason}`})`;
}

/** The text of a refusal, with the message of the API if there is one. The handshake's time limit ends this too. */
async function describeRefusal(request: ClientRequest, response: IncomingMessage): Promise<string> {
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) {
      text += String(chunk);
      if (text.length > MAX_REFUSAL_BYTES) break;
    }
  } catch {
    // The status is enough.
  }
  request.destroy();
  const refusal = apiErrorSchema.safeParse(parseIfJson(text));
  const reason = refusal.success ? `: ${refusal.data.message}` : '';
  return `the API answered the feed request with ${response.statusCode ?? 0}${reason}`;
}

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
