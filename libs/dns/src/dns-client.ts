import { randomInt } from 'node:crypto';
import type { CheckDeadline } from './check-deadline.js';
import {
  encodeQuestion,
  failed,
  isReplyTo,
  readReply,
  setId,
  tooLarge,
  type DnsQuestion,
  type DnsReply,
} from './dns-message.js';
import { formatServerAddress, type ServerAddress } from './server-address.js';
import { exchangeOverTcp } from './tcp-exchange.js';
import { UdpSockets } from './udp-sockets.js';

/** A packet may be lost; more attempts would use up the time of the check. */
const MAX_ATTEMPTS = 2;
/** Concurrent queries to one server. Their replies fit into the default receive buffer of a socket. */
const MAX_CONCURRENT_QUERIES = 128;

type FinalReply = Extract<DnsReply, { kind: 'answer' }>;

/**
 * Sends one question to one server: over UDP, again after a timeout, over TCP if the reply is truncated, and without EDNS
 * (RFC 6891) if the server does not support it. It never throws: an error is an answer of the kind `failed`.
 */
export class DnsClient {
  readonly #udp = new UdpSockets();
  readonly #semaphore = new KeyedSemaphore(MAX_CONCURRENT_QUERIES);
  readonly #attemptTimeoutMs: number;

  constructor(attemptTimeoutMs: number) {
    this.#attemptTimeoutMs = attemptTimeoutMs;
  }

  query(server: ServerAddress, question: DnsQuestion, deadline: CheckDeadline): Promise<FinalReply> {
    return this.#semaphore.run(formatServerAddress(server), () => this.#query(server, question, deadline));
  }

  close(): void {
    this.#udp.close();
  }

  async #query(server: ServerAddress, question: DnsQuestion, deadline: CheckDeadline): Promise<FinalReply> {
    if (!isQueryable(question.name)) return failed('the name cannot be queried');
    let hasEdns = true;
    let refusal = 'TIMEOUT';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const limitMs = Math.min(this.#attemptTimeoutMs, deadline.leftMs());
      if (limitMs <= 0) return failed('no time is left');
      const exchange = await this.#udp.exchange(server, encodeQuestion(question, hasEdns), limitMs, deadline);
      if (exchange.kind === 'failed') return failed(exchange.error);
      if (exchange.kind === 'timeout') continue;
      const reply = readReply(exchange.bytes, question);
      if (reply.kind === 'answer') return reply;
      if (reply.kind === 'truncated') return this.#queryOverTcp(server, question, hasEdns, deadline);
      refusal = 'FORMERR';
      hasEdns = false;
    }
    return failed(refusal);
  }

  async #queryOverTcp(
    server: ServerAddress,
    question: DnsQuestion,
    hasEdns: boolean,
    deadline: CheckDeadline,
  ): Promise<FinalReply> {
    const limitMs = Math.min(this.#attemptTimeoutMs, deadline.leftMs());
    if (limitMs <= 0) return failed('no time is left');
    const message = encodeQuestion(question, hasEdns);
    setId(message, randomInt(0x1_0000));
    const exchange = await exchangeOverTcp(server, message, limitMs, deadline);
    if (exchange.kind === 'timeout') return failed('TIMEOUT over TCP');
    if (exchange.kind === 'failed') return failed(`over TCP: ${exchange.error}`);
    if (!isReplyTo(exchange.bytes, message)) return failed('over TCP: the reply does not match the question');
    const reply = readReply(exchange.bytes, question);
    if (reply.kind === 'truncated') return tooLarge('more than fits into one reply');
    return reply.kind === 'answer' ? reply : failed('the reply over TCP is unusable');
  }
}

/**
 * Limits the concurrent tasks of each key; excess tasks wait in order. A server that receives more datagrams than its
 * socket can hold loses the rest, and each lost datagram costs a timeout.
 */
export class KeyedSemaphore {
  readonly #queues = new Map<string, { active: number; readonly waiting: (() => void)[] }>();
  readonly #limit: number;

  /** @param limit tasks of one key at a time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { active: 0, waiting: [] };
    this.#queues.set(key, queue);
    if (queue.active >= this.#limit) await new Promise<void>((resolve) => queue.waiting.push(resolve));
    else queue.active += 1;
    try {
      return await task();
    } finally {
      // The next task takes over the slot, so that no other task can take it first.
      const next = queue.waiting.shift();
      if (next !== undefined) next();
      else if (--queue.active === 0) this.#queues.delete(key);
    }
  }
}

/** The target of a CNAME can contain any byte, so it may exceed the limits of RFC 1035 §2.3.4 or have escaped characters. */
function isQueryable(name: string): boolean {
  return (
    name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63 && !label.includes('\\'))
  );
}
