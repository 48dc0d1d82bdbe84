import { PromiseCache } from '@pets/async';
import type { DnsLookup, DnsQuestionType } from '@pets/contracts';
import { parentOf } from '@pets/domains';
import { isPublicAddress } from './public-address.js';
import type { ServerAddress } from './server-address.js';

/** The servers of the zone that a name is in. None where they are not known, or must not be asked. */
export interface ZoneServers {
  readonly zone: string;
  /** All of their names, sorted, also of those that must not be asked. */
  readonly names: readonly string[];
  readonly servers: readonly ServerAddress[];
}

export interface ZoneServersOptions {
  /** Asks the resolvers; the first usable answer. */
  readonly resolve: (name: string, type: DnsQuestionType) => Promise<DnsLookup>;
  readonly allowPrivate: boolean;
  /** Where a server with this address is asked. */
  readonly locate: (address: string) => ServerAddress;
}

/** More are not told of: no zone needs them, and its owner decides how many there are. */
const MAX_NAMES = 16;
/** More servers of one zone say no more, and each costs packets. */
const MAX_SERVERS = 4;
/** A delegation that has just changed is seen within this time. */
const KEPT_MS = 60_000;
/** That a zone has no servers, as in a test network, is asked again sooner. */
const ABSENCE_KEPT_MS = 10_000;
const MAX_KEPT = 10_000;
/** From the name up over aliases to its zone; a name that takes more is in none we need. */
const MAX_STEPS = 8;

interface Found<Value> {
  readonly value: Value;
  /** 0 for what could not be found out, which is not kept. */
  readonly keepMs: number;
}

const CACHE_OPTIONS = {
  maxEntries: MAX_KEPT,
  ttlMs: KEPT_MS,
  ttlMsOf: ({ keepMs }: Found<unknown>) => keepMs,
};

/**
 * Finds the servers that hold the zone of a name, which know what is so before any cache does. Their names and addresses
 * come from the resolvers and are kept for a minute, for all checks together.
 */
export class ZoneServersFinder {
  readonly #zones = new PromiseCache<Found<ZoneServers>>(CACHE_OPTIONS);
  readonly #addresses = new PromiseCache<Found<readonly string[]>>(CACHE_OPTIONS);

  constructor(private readonly options: ZoneServersOptions) {}

  /** @param name where to begin: for a name that cannot be a zone itself, its parent saves a question */
  async serversOf(name: string): Promise<ZoneServers> {
    const { value } = await this.#zones.get(name, () => this.#findZone(name));
    return value;
  }

  async #findZone(name: string): Promise<Found<ZoneServers>> {
    let at = name;
    // Top-level domains are never asked: what is looked up is below them.
    for (let step = 0; step < MAX_STEPS && at.includes('.'); step += 1) {
      const { answer, alias } = await this.options.resolve(at, 'NS');
      if (answer.kind === 'failed') return { value: { zone: at, names: [], servers: [] }, keepMs: 0 };
      if (alias !== undefined) {
        at = parentOf(at);
      } else if (answer.kind === 'found') {
        const hosts = answer.records.slice(0, MAX_SERVERS).map(({ value }) => value);
        const addresses = await Promise.all(
          hosts.map((host) => this.#addresses.get(host, () => this.#findAddresses(host))),
        );
        const servers = [...new Set(addresses.flatMap(({ value }) => value.slice(0, 1)))].map(this.options.locate);
        const names = namesOf(answer.records);
        return { value: { zone: at, names, servers }, keepMs: servers.length === 0 ? ABSENCE_KEPT_MS : KEPT_MS };
      } else if (answer.zone !== undefined && at.endsWith(`.${answer.zone}`)) {
        at = answer.zone;
      } else break;
    }
    return { value: { zone: at, names: [], servers: [] }, keepMs: ABSENCE_KEPT_MS };
  }

  async #findAddresses(host: string): Promise<Found<readonly string[]>> {
    const ask = async (type: 'A' | 'AAAA') => {
      const { answer } = await this.options.resolve(host, type);
      const found = answer.kind === 'found' ? answer.records.map(({ value }) => value) : [];
      return {
        addresses: found.filter((address) => this.options.allowPrivate || isPublicAddress(address)),
        hasFailed: answer.kind === 'failed',
      };
    };
    const a = await ask('A');
    // One is asked, so one is kept: a zone can name thousands.
    if (a.addresses.length > 0) return { value: a.addresses.slice(0, 1), keepMs: KEPT_MS };
    const aaaa = await ask('AAAA');
    return { value: aaaa.addresses.slice(0, 1), keepMs: a.hasFailed || aaaa.hasFailed ? 0 : KEPT_MS };
  }
}

/** What is no host name (RFC 1123 §2.1, with the underscore that some have) is nothing that one could show. */
function namesOf(records: readonly { readonly value: string }[]): string[] {
  const names = records.map(({ value }) => value).filter((name) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name));
  return [...new Set(names)].sort().slice(0, MAX_NAMES);
}
