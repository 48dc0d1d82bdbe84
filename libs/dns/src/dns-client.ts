import { randomInt } from 'node:crypto';
import { setImmediate as endOfTick } from 'node:timers/promises';
import { FairSemaphore } from '@pets/async';
import { registrableDomainOf } from '@pets/domains';
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
import { SilentZones } from './silent-zones.js';
import { exchangeOverTcp } from './tcp-exchange.js';
import { UdpSockets } from './udp-sockets.js';

/** A packet may be lost; more attempts would use up the time of the check. */
const MAX_ATTEMPTS = 2;
/**
 * Concurrent queries to one server. Their replies fit into the default receive buffer of a socket: a server that receives
 * more datagrams than its socket can hold loses the rest, and each lost datagram costs a timeout.
 */
const MAX_CONCURRENT_QUERIES = 128;
/** Of these, the most of one asker. */
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
