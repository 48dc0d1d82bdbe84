import { canonicalName, type ZoneRecord } from './record-data.js';
import { isWithin, parentOf, Zone, type Reply } from './zone.js';

export const secondServerStates = ['same', 'stale', 'lame', 'silent'] as const;

export type SecondServer = {
  readonly zone: string;
  /** `stale` still has the records from before, `lame` refuses questions about the zone, `silent` does not answer them. */
  readonly state: (typeof secondServerStates)[number];
  /** The records that a stale server has. */
  readonly records?: readonly ZoneRecord[] | undefined;
};

/**
 * The addresses of the two servers of a zone. They are for documentation (RFC 5737): the worker knows at which ports of this
 * machine they are, since systems such as macOS have one loopback address only.
 */
export const ZONE_SERVER_ADDRESSES = ['192.0.2.1', '192.0.2.2'] as const;

const servers = ZONE_SERVER_ADDRESSES.map((address, index) => ({ name: `ns${index + 1}.dev-dns.test`, address }));
const TTL = 60;

const refused: Reply = { kind: 'answer', rcode: 'REFUSED', answers: [], authorities: [] };

/**
 * The second server of zones that have one. It is on a port of its own, and answers about other zones as the first one, so
 * that who still knows it after a repair gets good answers.
 */
export class SecondServers {
  readonly #servers = new Map<string, SecondServer & { readonly former?: Zone }>();

  put(server: SecondServer): void {
    const { zone, state, records } = server;
    this.#servers.set(zone, state === 'stale' ? { ...server, former: this.#zoneWith(records ?? []) } : server);
  }

  remove(zone: string): void {
    this.#servers.delete(zone);
  }

  list(): SecondServer[] {
    return [...this.#servers.values()].map(({ zone, state, records }) => ({ zone, state, records }));
  }

  /** The NS records of a zone with two servers, and their addresses. */
  recordsAt(name: string): readonly ZoneRecord[] {
    if (this.#servers.has(name)) return servers.map((server) => ({ name, type: 'NS', data: server.name, ttl: TTL }));
    const server = servers.find((one) => one.name === name);
    return server === undefined || this.#servers.size === 0
      ? []
      : [{ name, type: 'A', data: server.address, ttl: TTL }];
  }

  /** Answers as the second server. */
  resolve(first: Zone, question: string, type: string, isUnchecked: boolean): Reply {
    const server = this.#serverOf(canonicalName(question));
    switch (server?.state) {
      case 'silent':
        return { kind: 'none' };
      case 'lame':
        return refused;
      case 'stale':
        return (server.former ?? first).resolve(question, type, isUnchecked);
      case 'same':
      case undefined:
        return first.resolve(question, type, isUnchecked);
    }
  }

  #serverOf(name: string) {
    for (let zone = name; zone !== ''; zone = parentOf(zone)) {
      const server = this.#servers.get(zone);
      if (server !== undefined) return server;
    }
    return undefined;
  }

  #zoneWith(records: readonly ZoneRecord[]): Zone {
    const zone = new Zone({ secondServers: this });
    for (const record of records) zone.put(record);
    return zone;
  }
}

/** The records of a zone, for a server that keeps them while they change. */
export function recordsWithin(zone: Zone, name: string): ZoneRecord[] {
  return zone.listLasting().filter((record) => isWithin(record.name, name));
}
