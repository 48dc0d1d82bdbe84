import { getServers } from 'node:dns';
import type { DnsLookup, DnsQuestionType } from '@pets/contracts';
import { CheckTime } from './check-time.js';
import { DnsClient } from './dns-client.js';
import { formatServerAddress, parseServerAddress, type ServerAddress } from './server-address.js';
import { ZoneServersFinder } from './zone-servers.js';

/** Puts questions to one server, and tells what it said apart from what it failed to say. Never throws. */
export interface DnsServer {
  ask(name: string, type: DnsQuestionType): Promise<DnsLookup>;
}

/** The zone that a name is in. */
interface DnsZone {
  readonly zone: string;
  /** What its servers are called, sorted; none where that could not be told. */
  readonly names: readonly string[];
  /** Those of them that may be asked. */
  readonly servers: readonly DnsServer[];
}

/** Whom one check may ask. */
export interface DnsCheck {
  /** The configured resolvers, each on its own: they may disagree while a change spreads, and that is a fact too. */
  readonly resolvers: readonly DnsServer[];
  /** The servers that hold the zone of a name, past all caches; none where they are not known or must not be asked. */
  zoneServersOf(name: string): Promise<DnsZone>;
  /** The resolvers once more, as servers of every zone, where they hold all zones themselves; else none. */
  readonly allZonesServers: readonly DnsServer[];
}

export interface DnsLimits {
  /** For one try at a question; there are two. */
  readonly tryMs: number;
  /** For all questions of a check together. Less than the 10 s of its job, so that time is left to tell what was seen. */
  readonly checkMs: number;
  /** For finding a zone's servers, which several checks may wait for. */
  readonly zoneMs: number;
  /** Where the server of a zone with this address listens. */
  readonly locate: (address: string) => ServerAddress;
}

export interface DnsServersOptions {
  /** Resolvers to ask, `address:port`; the system's unless given. */
  readonly resolvers?: readonly string[];
  /**
   * Whether a zone's own servers are asked where their addresses are private: in a network that has its own DNS. Anywhere
   * else the owner of a zone could have packets sent to internal hosts.
   */
  readonly allowPrivateAuthoritative: boolean;
  /**
   * Whether the resolvers hold all zones themselves, as the one DNS server of a development network does. Anywhere else a
   * resolver passes on what the owner of a delegated zone answers, so it is no evidence of what is in the zone above.
   */
  readonly resolversHoldZones?: boolean;
}

const usualLimits: DnsLimits = {
  tryMs: 2_000,
  checkMs: 9_000,
  zoneMs: 5_000,
  locate: (host) => ({ host, port: 53 }),
};

/**
 * Looks into DNS: the one adapter that speaks its protocol. It finds facts and judges nothing; a question that could not
 * be answered is an answer of its own kind (`failed`), never an exception. Close it, or its sockets keep the process.
 */
export class DnsServers {
  readonly #client: DnsClient;
  readonly #resolvers: readonly ServerAddress[];
  readonly #zones: ZoneServersFinder;
  readonly #limits: DnsLimits;
  readonly #holders: readonly ServerAddress[];

  constructor(
    { resolvers = getServers(), allowPrivateAuthoritative, resolversHoldZones = false }: DnsServersOptions,
    limits: Partial<DnsLimits> = {},
  ) {
    this.#limits = { ...usualLimits, ...limits };
    this.#resolvers = [...new Set(resolvers)].map(parseServerAddress);
    this.#holders = resolversHoldZones ? this.#resolvers : [];
    this.#client = new DnsClient(this.#limits.tryMs);
    this.#zones = new ZoneServersFinder({
      resolve: (name, type) => this.#resolve(name, type),
      allowPrivate: allowPrivateAuthoritative,
      locate: this.#limits.locate,
    });
  }

  /** For one check: what is still unanswered when its time is over, or its signal is aborted, counts as failed. */
  open(signal: AbortSignal): DnsCheck {
    const time = new CheckTime(this.#limits.checkMs, signal);
    return {
      resolvers: this.#resolvers.map((address) => this.#resolver(address, time)),
      zoneServersOf: async (name) => {
        const { zone, names, servers } = await this.#zones.serversOf(name);
        return { zone, names, servers: servers.map((address) => this.#zoneServer(address, time)) };
      },
      allZonesServers: this.#holders.map((address) => this.#zoneServer(address, time)),
    };
  }

  close(): void {
    this.#client.close();
  }

  #resolver(address: ServerAddress, time: CheckTime): DnsServer {
    const server = formatServerAddress(address);
    return {
      ask: async (name, type) => {
        const { answer, alias } = await this.#client.ask(address, { name, type, isRecursive: true }, time);
        return { name, type, server, answer, ...(alias !== undefined && { alias }), at: new Date().toISOString() };
      },
    };
  }

  #zoneServer(address: ServerAddress, time: CheckTime): DnsServer {
    const server = formatServerAddress(address);
    return {
      ask: async (name, type) => {
        const { answer, alias } = await this.#client.ask(address, { name, type, isRecursive: false }, time);
        const lookup = { name, type, server, isAuthoritative: true, at: new Date().toISOString() };
        if (alias === undefined) return { ...lookup, answer };
        // Where an alias leads out of its zone, a server knows no more.
        const error = `does not serve ${alias}`;
        return { ...lookup, alias, answer: answer.kind === 'absent' ? { kind: 'failed', error } : answer };
      },
    };
  }

  /** All resolvers at once, since any of them may be down; the first that can tell is believed. */
  async #resolve(name: string, type: DnsQuestionType): Promise<DnsLookup> {
    const time = new CheckTime(this.#limits.zoneMs);
    const asked = this.#resolvers.map((address) => this.#resolver(address, time).ask(name, type));
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
