import { randomInt } from 'node:crypto';
import { setImmediate as endOfTick } from 'node:timers/promises';
import { FairSemaphore } from '@pets/async';
import { parentOf, registrableDomainOf } from '@pets/domains';
import type { CheckDeadline } from './check-deadline.js';
import {
  encodeQuestion,
  failed,
  isReplyTo,
  readReply,
  setId,
  tooLarge,
  UDP_PAYLOAD_BYTES,
  type DnsQuestion,
  type DnsReply,
} from './dns-message.js';
import { formatServerAddress, type ServerAddress } from './server-address.js';
import { exchangeOverTcp, UdpSockets } from './transports.js';

/** A packet may be lost; more attempts would use up the time of the check. */
const MAX_ATTEMPTS = 2;
/**
 * Concurrent queries to one server. Their replies fit into the default receive buffer of a socket: a server that receives
 * more datagrams than its socket can hold loses the rest, and each lost datagram costs a timeout.
 */
const MAX_CONCURRENT_QUERIES = 128;
/** Concurrent queries to one server for one asker. */
const MAX_QUERIES_OF_ONE = 96;

/** The attempt at a name in a silent zone is shorter by this factor. */
const SHORTER = 4;

/** A reply that ends a question. */
export type FinalReply = Extract<DnsReply, { kind: 'answer' }>;

/**
 * Sends one question to one server: over UDP, again after a timeout, over TCP if the reply is truncated, and without EDNS
 * (RFC 6891) if the server does not support it. It never throws: an error is an answer of the kind `failed`.
 *
 * Askers take turns at each server; questions of nobody, those of their registered domain. Names in a zone that has just timed out get one short attempt.
 */
export class DnsClient {
  readonly #udp = new UdpSockets();
  readonly #slots = new FairSemaphore({ limit: MAX_CONCURRENT_QUERIES, groupLimit: MAX_QUERIES_OF_ONE });
  readonly #silent = new SilentZones();
  readonly #attemptTimeoutMs: number;
  /** When the next large reply may be read. */
  #nextTurn: Promise<void> = Promise.resolve();

  constructor(attemptTimeoutMs: number) {
    this.#attemptTimeoutMs = attemptTimeoutMs;
  }

  async query(server: ServerAddress, question: DnsQuestion, deadline: CheckDeadline): Promise<FinalReply> {
    if (!isQueryable(question.name)) return failed('the name cannot be queried');
    const group = deadline.asker ?? registrableDomainOf(question.name) ?? question.name;
    const release = await this.#slots.acquire(formatServerAddress(server), group, (left) => deadline.onEnd(left));
    if (release === null) return failed('no time is left');
    try {
      return await this.#query(server, question, deadline);
    } finally {
      release();
    }
  }

  close(): void {
    this.#udp.close();
  }

  async #query(server: ServerAddress, question: DnsQuestion, deadline: CheckDeadline): Promise<FinalReply> {
    const isSilent = this.#silent.has(question.name);
    const attempts = isSilent ? 1 : MAX_ATTEMPTS;
    const timeoutMs = isSilent ? this.#attemptTimeoutMs / SHORTER : this.#attemptTimeoutMs;
    let hasEdns = true;
    let refusal = 'TIMEOUT';
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      const limitMs = Math.min(timeoutMs, deadline.leftMs());
      if (limitMs <= 0) return failed('no time is left');
      const exchange = await this.#udp.exchange(server, encodeQuestion(question, hasEdns), limitMs, deadline);
      if (exchange.kind === 'failed') return failed(exchange.error);
      if (exchange.kind === 'timeout') continue;
      this.#silent.delete(question.name);
      const reply = await this.#read(exchange.bytes, question);
      if (reply.kind === 'answer') return reply;
      if (reply.kind === 'truncated') return this.#queryOverTcp(server, question, hasEdns, deadline);
      refusal = 'FORMERR';
      hasEdns = false;
    }
    if (refusal === 'TIMEOUT') this.#silent.add(question.name);
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
    const reply = await this.#read(exchange.bytes, question);
    if (reply.kind === 'truncated') return tooLarge('more than fits into one reply');
    return reply.kind === 'answer' ? reply : failed('the reply over TCP is unusable');
  }

  /**
   * Reads one large reply in each tick of the event loop. A reply of 64 KB takes milliseconds, and a check of a name with a
   * hundred labels has hundreds of them: on a busy machine they are all there at once.
   */
  async #read(bytes: Buffer, question: DnsQuestion): Promise<DnsReply> {
    if (bytes.length > UDP_PAYLOAD_BYTES) {
      this.#nextTurn = this.#nextTurn.then(() => endOfTick());
      await this.#nextTurn;
    }
    return readReply(bytes, question);
  }
}

/** The target of a CNAME can contain any byte, so it may exceed the limits of RFC 1035 §2.3.4 or have escaped characters. */
function isQueryable(name: string): boolean {
  return (
    name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63 && !label.includes('\\'))
  );
}

const KEPT_MS = 30_000;
const MAX_KEPT = 10_000;

/**
 * Names that nobody answered a moment ago, so that the next questions about them and about names below them get a short
 * timeout. By the name that was asked, never by the server: a delegation may name somebody else's servers. A name is below
 * the owner of its zone, so nobody can enter the zone of another. A public suffix is never remembered, nor a name for longer
 * because it was silent again: each gets a complete attempt every half minute.
 */
export class SilentZones {
  /** The time until which each is remembered, the oldest first. */
  readonly #names = new Map<string, number>();
  readonly #keptMs: number;
  readonly #maxKept: number;

  constructor({ keptMs = KEPT_MS, maxKept = MAX_KEPT } = {}) {
    this.#keptMs = keptMs;
    this.#maxKept = maxKept;
  }

  add(name: string): void {
    if (registrableDomainOf(name) === null || this.has(name)) return;
    this.#names.delete(name);
    this.#names.set(name, performance.now() + this.#keptMs);
    const [oldest] = this.#names.keys();
    if (this.#names.size > this.#maxKept && oldest !== undefined) this.#names.delete(oldest);
  }

  delete(name: string): void {
    this.#names.delete(name);
  }

  /** Whether the name, or one that it is below, was silent. */
  has(name: string): boolean {
    if (this.#names.size === 0) return false;
    for (let at = name; at.includes('.'); at = parentOf(at))
      if ((this.#names.get(at) ?? 0) > performance.now()) return true;
    return false;
  }
}
