import { randomInt } from 'node:crypto';
import { CheckDeadline } from './check-deadline.js';
import { decodeReply, type DecodedReply } from './decode-reply.js';
import { setId } from './dns-message.js';
import { formatServerAddress, parseServerAddress, type ServerAddress } from './server-address.js';
import { exchangeOverTcp } from './transports.js';
import {
  encodeUpdate,
  isUpdateReply,
  signRequest,
  tsigErrors,
  verifyReply,
  type TsigKey,
  type TsigVerdict,
  type TxtChange,
} from './update-message.js';

/** Reason why an update failed. */
export type DnsUpdateFailure =
  /** No connection, or it was closed without a reply. Whether the update was made is unknown. */
  | 'unreachable'
  /** No reply in time. Whether the update was made is unknown. */
  | 'timeout'
  /** BADKEY: the server does not have a key of this name and algorithm, or permits nothing with it (Knot). */
  | 'bad_key'
  /** BADSIG: the server has another secret under this name. */
  | 'bad_signature'
  /** BADTIME: the clocks differ by more than five minutes. */
  | 'bad_time'
  /** NOTAUTH: the server does not serve the zone. */
  | 'not_authoritative'
  /** REFUSED: the server does not let this key change the zone, or these names. */
  | 'refused'
  /** NOTZONE: a changed name is not in the zone. */
  | 'not_in_zone'
  /** SERVFAIL. */
  | 'server_failure'
  /** Another RCODE: the server does not support updates, or found this one malformed. */
  | 'rejected'
  /** A reply without a signature of this key. Whether the update was made is unknown. */
  | 'unauthenticated'
  /** Not a DNS message, or not the reply to this update. */
  | 'malformed';

/** The server did not confirm an update. The message names the server, the reason, and what to check. */
export class DnsUpdateError extends Error {
  override readonly name = 'DnsUpdateError';
  readonly reason: DnsUpdateFailure;
  /** The time of the server, if the reply proves it. */
  readonly serverTime: Date | undefined;

  constructor(reason: DnsUpdateFailure, message: string, serverTime?: Date) {
    super(message);
    this.reason = reason;
    this.serverTime = serverTime;
  }
}

export interface DnsUpdaterOptions {
  /** The name server that takes the updates, `host:port`. A host name is resolved by the system at each update. */
  readonly server: string;
  readonly zone: string;
  readonly key: TsigKey;
  readonly now?: () => Date;
  /** Timeout of one update. */
  readonly timeoutMs?: number;
}

const DEFAULT_TIMEOUT_MS = 5_000;
const IDS = 0x1_0000;

/** RFC 1035 §4.1.1, RFC 2136 §2.2. */
const failuresByRcode: Readonly<Record<number, readonly [DnsUpdateFailure, name: string, advice: string]>> = {
  1: ['rejected', 'FORMERR', 'it found the update malformed'],
  2: ['server_failure', 'SERVFAIL', 'see its log'],
  4: ['rejected', 'NOTIMP', 'it does not support updates (RFC 2136)'],
  5: ['refused', 'REFUSED', 'permit updates of TXT records in the zone with this key'],
  9: ['not_authoritative', 'NOTAUTH', 'it does not serve the zone, or only as a secondary'],
  10: ['not_in_zone', 'NOTZONE', 'a changed name is not in the zone'],
};

const failuresByTsigError: Readonly<Record<number, readonly [DnsUpdateFailure, name: string, advice: string]>> = {
  [tsigErrors.BADSIG]: ['bad_signature', 'BADSIG', 'it has another secret under the name of this key'],
  [tsigErrors.BADKEY]: ['bad_key', 'BADKEY', 'it has no key of this name for hmac-sha256, or permits nothing with it'],
  [tsigErrors.BADTIME]: ['bad_time', 'BADTIME', 'synchronize the clocks of both machines'],
  [tsigErrors.BADTRUNC]: ['bad_signature', 'BADTRUNC', 'it does not accept the length of the MAC'],
};

/**
 * Changes TXT records of a zone by updates (RFC 2136) that are signed with TSIG (RFC 8945), over TCP. An update that returns
 * was confirmed by a reply with a correct MAC. Each change can be repeated: adding a value that is there and removing one
 * that is not there succeed.
 */
export class DnsUpdater {
  readonly #server: ServerAddress;
  readonly #zone: string;
  readonly #key: TsigKey;
  readonly #now: () => Date;
  readonly #timeoutMs: number;

  constructor({ server, zone, key, now = () => new Date(), timeoutMs = DEFAULT_TIMEOUT_MS }: DnsUpdaterOptions) {
    this.#server = parseServerAddress(server);
    this.#zone = zone;
    this.#key = key;
    this.#now = now;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Makes all changes, or none. Without changes, it checks that the server knows the key and serves the zone.
   * @throws DnsUpdateError if the server does not confirm them
   * @throws the reason of the signal, if it is aborted
   * @throws RangeError if a name or a value cannot be encoded, or there are more than 100 changes
   */
  async update(changes: readonly TxtChange[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const id = randomInt(IDS);
    const message = encodeUpdate(this.#zone, changes);
    setId(message, id);
    const request = signRequest(message, this.#key, this.#now());
    const bytes = await this.#exchange(request.bytes, signal);
    if (!isUpdateReply(bytes, id)) throw this.#error('malformed', 'sent something else than the reply to the update');
    this.#evaluate(bytes, request.mac);
  }

  async #exchange(message: Buffer, signal: AbortSignal): Promise<Buffer> {
    const limitMs = this.#timeoutMs;
    const exchange = await exchangeOverTcp(this.#server, message, limitMs, new CheckDeadline(limitMs, signal));
    signal.throwIfAborted();
    switch (exchange.kind) {
      case 'reply':
        return exchange.bytes;
      case 'timeout':
        throw this.#error('timeout', `did not reply within ${limitMs} ms`);
      case 'failed':
        throw this.#error('unreachable', `cannot be reached over TCP: ${exchange.error}`);
    }
  }

  #evaluate(bytes: Buffer, requestMac: Buffer): void {
    let reply: DecodedReply;
    let verdict: TsigVerdict;
    try {
      reply = decodeReply(bytes);
      verdict = verifyReply(bytes, reply, { key: this.#key, requestMac, now: this.#now() });
    } catch {
      throw this.#error('malformed', 'sent a malformed reply');
    }
    switch (verdict.kind) {
      case 'forged':
        throw this.#error('unauthenticated', 'sent a reply whose signature is wrong');
      case 'outdated':
        throw this.#badTime(verdict.serverTime);
      case 'unsigned':
        // Only a signed reply confirms an update. An error is believed without: it leads to another attempt at worst.
        this.#throwFailure(reply.rcode, verdict.error);
        throw this.#error('unauthenticated', 'confirmed the update without a signature');
      case 'signed':
        if (verdict.error === tsigErrors.BADTIME) throw this.#badTime(verdict.serverTime);
        this.#throwFailure(reply.rcode, verdict.error);
    }
  }

  /** Throws if the reply has an error code. That of the signature explains the other one, which is NOTAUTH then. */
  #throwFailure(rcode: number, tsigError: number): void {
    if (rcode === 0 && tsigError === 0) return;
    const [reason, name, advice] = failuresByTsigError[tsigError] ??
      failuresByRcode[rcode] ?? ['rejected', `RCODE ${rcode}`, 'see its log'];
    throw this.#error(reason, `refused the update with ${name}: ${advice}`);
  }

  #badTime(serverTime: Date): DnsUpdateError {
    const times = `its time is ${serverTime.toISOString()}, ours ${this.#now().toISOString()}`;
    return this.#error('bad_time', `refused the update with BADTIME: ${times}`, serverTime);
  }

  #error(reason: DnsUpdateFailure, text: string, serverTime?: Date): DnsUpdateError {
    const place = `${formatServerAddress(this.#server)} (zone ${this.#zone}, key ${this.#key.name})`;
    return new DnsUpdateError(reason, `the name server ${place} ${text}`, serverTime);
  }
}
