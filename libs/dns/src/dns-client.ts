import type { CheckTime } from './check-time.js';
import { encodeQuestion, failed, readReply, tooLarge, type DnsQuestion, type DnsReply } from './dns-message.js';
import { formatServerAddress, type ServerAddress } from './server-address.js';
import { exchangeOverTcp } from './tcp-exchange.js';
import { KeyedSemaphore } from './keyed-semaphore.js';
import { UdpSockets } from './udp-sockets.js';

/** A packet may be lost; more tries would use up the check's time. */
const TRIES = 2;
/** Replies and questions on their way to or from one server: well within what a socket holds by default. */
const MAX_AT_ONCE = 128;

type FinalReply = Extract<DnsReply, { kind: 'answer' }>;

/**
 * Puts one question to one server: over UDP, again after `tryMs` without an answer, over TCP where the reply is cut off,
 * and without the extension where the server does not know it. Never throws.
 */
export class DnsClient {
  readonly #udp = new UdpSockets();
  readonly #turns = new KeyedSemaphore(MAX_AT_ONCE);

  constructor(private readonly tryMs: number) {}

  ask(server: ServerAddress, question: DnsQuestion, time: CheckTime): Promise<FinalReply> {
    return this.#turns.run(formatServerAddress(server), () => this.#ask(server, question, time));
  }

  close(): void {
    this.#udp.close();
  }

  async #ask(server: ServerAddress, question: DnsQuestion, time: CheckTime): Promise<FinalReply> {
    if (!canBeAsked(question.name)) return failed('is no name that can be asked for');
    let hasExtension = true;
    let refusal = 'TIMEOUT';
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const limitMs = Math.min(this.tryMs, time.leftMs());
      if (limitMs <= 0) return failed('no time is left');
      const exchange = await this.#udp.exchange(server, encodeQuestion(question, hasExtension), limitMs, time);
      if (exchange.kind === 'failed') return failed(exchange.error);
      if (exchange.kind === 'timeout') continue;
      const reply = readReply(exchange.bytes, question);
      if (reply.kind === 'answer') return reply;
      if (reply.kind === 'truncated') return this.#askOverTcp(server, question, hasExtension, time);
      refusal = 'FORMERR';
      hasExtension = false;
    }
    return failed(refusal);
  }

  async #askOverTcp(
    server: ServerAddress,
    question: DnsQuestion,
    hasExtension: boolean,
    time: CheckTime,
  ): Promise<FinalReply> {
    const limitMs = Math.min(this.tryMs, time.leftMs());
    if (limitMs <= 0) return failed('no time is left');
    const exchange = await exchangeOverTcp(server, encodeQuestion(question, hasExtension), limitMs, time);
    if (exchange.kind === 'timeout') return failed('TIMEOUT over TCP');
    if (exchange.kind === 'failed') return failed(`over TCP: ${exchange.error}`);
    const reply = readReply(exchange.bytes, question);
    if (reply.kind === 'truncated') return tooLarge('more than fits into one reply');
    return reply.kind === 'answer' ? reply : failed('the reply over TCP is unusable');
  }
}

/** What a CNAME leads to may hold any byte, and is asked for as it is written down. RFC 1035 §2.3.4 limits names. */
function canBeAsked(name: string): boolean {
  return (
    name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63 && !label.includes('\\'))
  );
}
