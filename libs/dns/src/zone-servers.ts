import { PromiseCache } from '@pets/async';
import type { DnsLookup, DnsQuestionType } from '@pets/contracts';
import { isPublicAddress, parentOf } from '@pets/domains';
import type { CheckDeadline } from './check-deadline.js';
import type { ServerAddress } from './server-address.js';

/** The name servers of the zone of a name. Empty if they are unknown or must not be queried. */
export interface ZoneServers {
  readonly zone: string;
  /** The names of all servers, sorted, including those that must not be queried. */
  readonly names: readonly string[];
  readonly servers: readonly ServerAddress[];
}

export interface ZoneServersOptions {
  /** Queries the resolvers and returns the first usable answer. */
  readonly resolve: (name: string, type: DnsQuestionType, deadline: CheckDeadline) => Promise<DnsLookup>;
  /** The time of one search. */
  readonly limitMs: number;
  readonly allowPrivate: boolean;
  /** The host and port of a server with this address. */
  readonly locate: (address: string) => ServerAddress;
}

/** Names returned for a zone. No zone needs more, and the owner of a zone decides how many there are. */
const MAX_NAMES = 16;
/** Servers queried for a zone. More give no more information, and each costs packets. */
const MAX_SERVERS = 4;
/** A changed delegation is noticed within this time. */
const KEPT_MS = 60_000;
/** Used when a zone has no servers, as in a test network. */
const ABSENCE_KEPT_MS = 10_000;
const MAX_KEPT = 10_000;
/** Steps from the name through aliases to its zone. */
const MAX_STEPS = 8;

interface Found<Value> {
  readonly value: Value;
  /** 0: the lookup failed, and the value is not cached. */
  readonly keepMs: number;
  /** Whether the check that searched has ended before. */
  readonly isCut?: boolean;
}

const CACHE_OPTIONS = {
  maxEntries: MAX_KEPT,
  ttlMs: KEPT_MS,
  ttlMsOf: ({ keepMs }: Found<unknown>) => keepMs,
};

/**
 * Finds the authoritative servers of the zone of a name, which have changes before any cache. Their names and addresses come
 * from the resolvers and are cached for a minute for all checks.
 */
export class ZoneServersFinder {
  readonly #zones = new PromiseCache<Found<ZoneServers>>(CACHE_OPTIONS);
  readonly #addresses = new PromiseCache<Found<readonly string[]>>(CACHE_OPTIONS);

  readonly #options: ZoneServersOptions;

  constructor(options: ZoneServersOptions) {
    this.#options = options;
  }

  /**
   * Checks of the same zone share a search, which ends with the check that began it; the others then begin their own.
   * @param name where the search starts; for a name that cannot be a zone itself, its parent saves a question
   */
  async serversOf(name: string, deadline: CheckDeadline): Promise<ZoneServers> {
    for (;;) {
      let part: CheckDeadline | undefined;
      const { value, isCut } = await this.#zones.get(name, () =>
        this.#findZone(name, (part = deadline.within(this.#options.limitMs))),
      );
      if (isCut !== true || part !== undefined || deadline.leftMs() <= 0) return value;
    }
  }

  async #findZone(name: string, deadline: CheckDeadline): Promise<Found<ZoneServers>> {
    let at = name;
    // Top-level domains are not queried: every name is below them.
    for (let step = 0; step < MAX_STEPS && at.includes('.'); step += 1) {
      const { answer, alias } = await this.#options.resolve(at, 'NS', deadline);
      if (answer.kind === 'failed')
        return { value: { zone: at, names: [], servers: [] }, keepMs: 0, isCut: deadline.leftMs() <= 0 };
      if (alias !== undefined) {
        at = parentOf(at);
      } else if (answer.kind === 'found') {
        const hosts = answer.records.slice(0, MAX_SERVERS).map(({ value }) => value);
        const addresses = await Promise.all(
          hosts.map((host) => this.#addresses.get(host, () => this.#findAddresses(host, deadline))),
        );
        const servers = [...new Set(addresses.flatMap(({ value }) => value.slice(0, 1)))].map(this.#options.locate);
        const names = namesOf(answer.records);
        return { value: { zone: at, names, servers }, keepMs: servers.length === 0 ? ABSENCE_KEPT_MS : KEPT_MS };
      } else if (answer.zone !== undefined && at.endsWith(`.${answer.zone}`)) {
        at = answer.zone;
      } else break;
    }
    return { value: { zone: at, names: [], servers: [] }, keepMs: ABSENCE_KEPT_MS };
  }

  async #findAddresses(host: string, deadline: CheckDeadline): Promise<Found<readonly string[]>> {
    const ask = async (type: 'A' | 'AAAA') => {
      const { answer } = await this.#options.resolve(host, type, deadline);
      const found = answer.kind === 'found' ? answer.records.map(({ value }) => value) : [];
      return {
        addresses: found.filter((address) => this.#options.allowPrivate || isPublicAddress(address)),
        hasFailed: answer.kind === 'failed',
      };
    };
    const a = await ask('A');
    // One address is queried, so one is cached: a zone can have thousands.
    if (a.addresses.length > 0) return { value: a.addresses.slice(0, 1), keepMs: KEPT_MS };
    const aaaa = await ask('AAAA');
    return { value: aaaa.addresses.slice(0, 1), keepMs: a.hasFailed || aaaa.hasFailed ? 0 : KEPT_MS };
  }
}

/** Only host names (RFC 1123 §2.1, plus the underscore that some have) can be shown. */
function namesOf(records: readonly { readonly value: string }[]): string[] {
  const names = records.map(({ value }) => value).filter((name) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name));
  return [...new Set(names)].sort().slice(0, MAX_NAMES);
}
