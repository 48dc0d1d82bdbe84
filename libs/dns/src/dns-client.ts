import type { CheckDeadline } from './check-deadline.js';
import { encodeQuestion, failed, readReply, tooLarge, type DnsQuestion, type DnsReply } from './dns-message.js';
import { formatServerAddress, type ServerAddress } from './server-address.js';
import { exchangeOverTcp } from './tcp-exchange.js';
import { KeyedSemaphore } from './keyed-semaphore.js';
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
  readonly #turns = new KeyedSemaphore(MAX_CONCURRENT_QUERIES);

  readonly #attemptTimeoutMs: number;

  constructor(attemptTimeoutMs: number) {
    this.#attemptTimeoutMs = attemptTimeoutMs;
  }

  ask(server: ServerAddress, question: DnsQuestion, time: CheckDeadline): Promise<FinalReply> {
    return this.#turns.run(formatServerAddress(server), () => this.#ask(server, question, time));
  }

  close(): void {
    this.#udp.close();
  }

  async #ask(server: ServerAddress, question: DnsQuestion, time: CheckDeadline): Promise<FinalReply> {
    if (!isQueryable(question.name)) return failed('the name cannot be queried');
    let hasEdns = true;
    let refusal = 'TIMEOUT';
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const limitMs = Math.min(this.#attemptTimeoutMs, time.leftMs());
      if (limitMs <= 0) return failed('no time is left');
      const exchange = await this.#udp.exchange(server, encodeQuestion(question, hasEdns), limitMs, time);
      if (exchange.kind === 'failed') return failed(exchange.error);
      if (exchange.kind === 'timeout') continue;
      const reply = readReply(exchange.bytes, question);
      if (reply.kind === 'answer') return reply;
      if (reply.kind === 'truncated') return this.#askOverTcp(server, question, hasEdns, time);
      refusal = 'FORMERR';
      hasEdns = false;
    }
    return failed(refusal);
  }

  async #askOverTcp(
    server: ServerAddress,
    question: DnsQuestion,
    hasEdns: boolean,
    time: CheckDeadline,
  ): Promise<FinalReply> {
    const limitMs = Math.min(this.#attemptTimeoutMs, time.leftMs());
    if (limitMs <= 0) return failed('no time is left');
    const exchange = await exchangeOverTcp(server, encodeQuestion(question, hasEdns), limitMs, time);
    if (exchange.kind === 'timeout') return failed('TIMEOUT over TCP');
    if (exchange.kind === 'failed') return failed(`over TCP: ${exchange.error}`);
    const reply = readReply(exchange.bytes, question);
    if (reply.kind === 'truncated') return tooLarge('more than fits into one reply');
    return reply.kind === 'answer' ? reply : failed('the reply over TCP is unusable');
  }
}

/** The target of a CNAME can contain any byte, so it may exceed the limits of RFC 1035 §2.3.4 or have escaped characters. */
function isQueryable(name: string): boolean {
  return (
    name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63 && !label.includes('\\'))
  );
}
