import { getServers } from 'node:dns';
import type { DnsLookup, DnsQuestionType } from '@pets/contracts';
import { isPublicAddress } from '@pets/domains';
import { CheckDeadline } from './check-deadline.js';
import { DnsClient, type FinalReply } from './dns-client.js';
import { isServfail } from './dns-message.js';
import { formatServerAddress, parseServerAddress, type ServerAddress } from './server-address.js';
import { findNameServers, waitForTxt, type ExpectedTxt, type TxtPropagation } from './txt-propagation.js';
import { ValidationFailures } from './validation-failures.js';
import { ZoneServersFinder } from './zone-servers.js';

/** Sends questions to one server. It never throws: an error is an answer of the kind `failed`. */
export interface DnsServer {
  query(name: string, type: DnsQuestionType): Promise<DnsLookup>;
}

/** The zone of a name. */
interface DnsZone {
  readonly zone: string;
  /** The names of its servers, sorted; empty if unknown. */
  readonly names: readonly string[];
  /** The servers that may be queried. */
  readonly servers: readonly DnsServer[];
}

/** How many look-ups at a resolver ended in this way. */
export interface ResolverLookups {
  readonly resolver: string;
  readonly result: LookupResult;
  readonly count: number;
}

const lookupResults = ['found', 'absent', 'failed'] as const satisfies DnsLookup['answer']['kind'][];
type LookupResult = (typeof lookupResults)[number];

/** The servers of one check. */
export interface DnsCheck {
  /** The configured resolvers. They may disagree while a change spreads, so each has its own answers. */
  readonly resolvers: readonly DnsServer[];
  /** The authoritative servers of a name, which are not behind a cache. */
  zoneServersOf(name: string): Promise<DnsZone>;
  /** The resolvers as authoritative servers of every zone, if `resolversHoldZones` is set; else empty. */
  readonly allZonesServers: readonly DnsServer[];
}

export interface DnsLimits {
  /** Timeout of one attempt at a question; there are two attempts. */
  readonly tryMs: number;
  /** For all questions of a check. Less than the 10 s of its job, so that time is left to report the findings. */
  readonly checkMs: number;
  /** For finding the servers of a zone, which several checks may wait for. */
  readonly zoneMs: number;
  /** The host and port of an authoritative server with this address. */
  readonly locate: (address: string) => ServerAddress;
}

export interface DnsServersOptions {
  /** Resolvers, `address:port`; by default those of the system. */
  readonly resolvers?: readonly string[];
  /**
   * Whether authoritative servers with private addresses may be queried, for a network that has its own DNS. Elsewhere the
   * owner of a zone could make us send packets to internal hosts.
   */
  readonly allowPrivateAuthoritative: boolean;
  /**
   * Whether the resolvers are authoritative for all zones, as the single DNS server of a development network is. Elsewhere a
   * resolver forwards the answers of a delegated zone, which are no evidence about the parent zone.
   */
  readonly resolversHoldZones?: boolean;
  /** Endpoints (`address:port`) of authoritative servers, by their address, in a development network. */
  readonly authoritativeAt?: ReadonlyMap<string, string>;
}

const defaultLimits: Omit<DnsLimits, 'locate'> = {
  tryMs: 2_000,
  checkMs: 9_000,
  zoneMs: 5_000,
};

/** How long a zone is remembered as one without known servers. */
const ABSENCE_KEPT_MS = 10_000;

/**
 * The DNS adapter: the only place that speaks the protocol. It reports answers and evaluates nothing. A question that fails
 * is an answer of the kind `failed`, never an exception. Call `close` at the end to release its sockets.
 */
export class DnsServers {
  readonly #client: DnsClient;
  readonly #resolvers: readonly ServerAddress[];
  readonly #zones: ZoneServersFinder;
  readonly #limits: DnsLimits;
  readonly #allZonesServers: readonly ServerAddress[];
  readonly #lookups: ReadonlyMap<string, Record<LookupResult, number>>;
  readonly #validationFailures: ValidationFailures;

  constructor(
    {
      resolvers = getServers(),
      allowPrivateAuthoritative,
      resolversHoldZones = false,
      authoritativeAt = new Map(),
    }: DnsServersOptions,
    limits: Partial<DnsLimits> = {},
  ) {
    const locate = (address: string) => parseServerAddress(authoritativeAt.get(address) ?? address);
    this.#limits = { ...defaultLimits, locate, ...limits };
    this.#resolvers = [...new Set(resolvers)].map(parseServerAddress);
    this.#allZonesServers = resolversHoldZones ? this.#resolvers : [];
    this.#lookups = new Map(
      this.#resolvers.map((address) => [formatServerAddress(address), { found: 0, absent: 0, failed: 0 }]),
    );
    this.#validationFailures = new ValidationFailures([...this.#lookups.keys()]);
    this.#client = new DnsClient(this.#limits.tryMs);
    this.#zones = new ZoneServersFinder({
      resolve: (name, type, deadline) => this.#resolve(name, type, deadline),
      limitMs: this.#limits.zoneMs,
      isAllowed: (address) => allowPrivateAuthoritative || authoritativeAt.has(address) || isPublicAddress(address),
      // In a development network a zone gets servers while somebody watches.
      absenceKeptMs: resolversHoldZones ? 0 : ABSENCE_KEPT_MS,
      locate: this.#limits.locate,
    });
  }

  /**
   * Starts a check. Questions that are pending at its deadline or when the signal is aborted fail.
   * @param asker whose check it is: one with many questions delays those of others by one only
   */
  open(signal: AbortSignal, asker?: string): DnsCheck {
    const deadline = new CheckDeadline(this.#limits.checkMs, signal, asker);
    return {
      resolvers: this.#resolvers.map((address) => this.#resolver(address, deadline)),
      zoneServersOf: async (name) => {
        const { zone, names, servers } = await this.#zones.serversOf(name, deadline);
        return { zone, names, servers: servers.map((address) => this.#zoneServer(address, deadline)) };
      },
      allZonesServers: this.#allZonesServers.map((address) => this.#zoneServer(address, deadline)),
    };
  }

  /**
   * Waits until every name server of a zone of our own answers TXT values, or for `limitMs`.
   * @throws the reason of the signal, if it is aborted
   */
  async waitForTxt(
    zone: string,
    expected: ExpectedTxt,
    { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
  ): Promise<TxtPropagation> {
    const deadline = new CheckDeadline(limitMs, signal);
    const serverAt = (address: ServerAddress) => this.#zoneServer(address, deadline);
    const found =
      this.#allZonesServers.length > 0
        ? { servers: [{ host: zone, addresses: this.#allZonesServers.map(serverAt) }] }
        : await findNameServers(
            zone,
            (name, type) => this.#resolve(name, type, deadline.within(this.#limits.zoneMs)),
            (address) => serverAt(this.#limits.locate(address)),
          );
    signal.throwIfAborted();
    if ('error' in found) return { kind: 'no_servers', error: found.error };
    return waitForTxt(found.servers, expected, { limitMs: deadline.leftMs(), signal });
  }

  /** The look-ups at each resolver since the start, by result. */
  countLookups(): readonly ResolverLookups[] {
    return [...this.#lookups].flatMap(([resolver, counts]) =>
      lookupResults.map((result) => ({ resolver, result, count: counts[result] })),
    );
  }

  /** For how many registered domains the validation of each resolver fails, while another one answers. */
  countValidationFailures(): readonly { readonly resolver: string; readonly count: number }[] {
    return this.#validationFailures.countAlone();
  }

  close(): void {
    this.#client.close();
  }

  #resolver(address: ServerAddress, deadline: CheckDeadline): DnsServer {
    const server = formatServerAddress(address);
    return {
      query: async (name, type) => {
        const first = await this.#client.query(address, { name, type, isRecursive: true }, deadline);
        // The end of a check at its deadline or by its signal says nothing about the resolver.
        const hasEnded = deadline.leftMs() <= 0;
        const { answer, alias } = await this.#explainFailure(address, { name, type }, first, deadline);
        const counts = this.#lookups.get(server);
        if (counts !== undefined && (answer.kind !== 'failed' || !hasEnded)) counts[answer.kind] += 1;
        const at = new Date().toISOString();
        return { name, type, server, answer, ...(alias !== undefined && { alias }), at };
      },
    };
  }

  /**
   * Two more questions after a SERVFAIL. The validation of DNSSEC has failed if the first, with checking disabled, is answered
   * and the second, without, is a SERVFAIL again. A server of the zone that fails for a moment causes one SERVFAIL as well.
   */
  async #explainFailure(
    address: ServerAddress,
    { name, type }: { readonly name: string; readonly type: DnsQuestionType },
    first: FinalReply,
    deadline: CheckDeadline,
  ): Promise<FinalReply> {
    const server = formatServerAddress(address);
    const ask = (isUnchecked: boolean) =>
      this.#client.query(address, { name, type, isRecursive: true, isUnchecked }, deadline);
    const isAnswered = ({ answer }: FinalReply) => answer.kind !== 'failed';
    if (isAnswered(first)) this.#validationFailures.answered(server, name);
    if (first.answer.kind !== 'failed' || !isServfail(first.answer)) return first;
    if (!isAnswered(await ask(true))) return first;
    const second = await ask(false);
    if (isAnswered(second)) {
      this.#validationFailures.answered(server, name);
      return second;
    }
    if (!isServfail(second.answer) || !this.#validationFailures.failed(server, name)) return first;
    return { ...first, answer: { ...first.answer, isBogus: true } };
  }

  #zoneServer(address: ServerAddress, deadline: CheckDeadline): DnsServer {
    const server = formatServerAddress(address);
    return {
      query: async (name, type) => {
        const { answer, alias } = await this.#client.query(address, { name, type, isRecursive: false }, deadline);
        const lookup = { name, type, server, isAuthoritative: true, at: new Date().toISOString() };
        if (alias === undefined) return { ...lookup, answer };
        // The server cannot answer for an alias outside its zone.
        const error = `does not serve ${alias}`;
        return { ...lookup, alias, answer: answer.kind === 'absent' ? { kind: 'failed', error } : answer };
      },
    };
  }

  /** Queries all resolvers at once, since any may be down, and returns the first usable answer. */
  async #resolve(name: string, type: DnsQuestionType, deadline: CheckDeadline): Promise<DnsLookup> {
    const asked = this.#resolvers.map((address) => this.#resolver(address, deadline).query(name, type));
    const usable = asked.map(async (lookup) => {
      const { answer } = await lookup;
      return answer.kind === 'failed' ? Promise.reject(new Error(answer.error)) : lookup;
    });
    return Promise.any(usable).catch((error: unknown) => ({
      name,
      type,
      server: '',
      answer: { kind: 'failed', error: String(error) },
    }));
  }
}
