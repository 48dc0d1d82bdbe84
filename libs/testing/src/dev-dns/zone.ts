import type { Answer } from 'dns-packet';
import { canonicalName, toAnswer, type ZoneRecord, type ZoneRecordType } from './record-data.js';
import { Rotations } from './rotations.js';

export const failureCodes = ['SERVFAIL', 'NXDOMAIN', 'REFUSED', 'TIMEOUT'] as const;
type FailureCode = (typeof failureCodes)[number];

export type Failure = {
  readonly name: string;
  readonly type?: string;
  readonly rcode: FailureCode;
  /** Whether all names below fail too. */
  readonly isZone?: boolean;
  /** Whether DNSSEC is broken: a question with checking disabled is answered (RFC 4035 §3.2.2). */
  readonly isBogus?: boolean;
  /** The explanation in the reply (RFC 8914). */
  readonly extendedError?: ExtendedError;
};

export type ExtendedError = { readonly code: number; readonly text?: string };

/** Reply to a question; `none` means that the server does not answer at all. */
export type Reply =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'answer';
      readonly rcode: Rcode;
      readonly answers: Answer[];
      readonly authorities: Answer[];
      readonly extendedError?: ExtendedError | undefined;
    };

export type Rcode = 'NOERROR' | 'SERVFAIL' | 'NXDOMAIN' | 'REFUSED';

/** Real resolvers give up on long chains as well. */
const MAX_CHAIN = 16;
const PLATFORM_TTL = 60;
const NEGATIVE_TTL = 5;
/** A name can have one of these only, so that a new one takes the place of the old one (RFC 2181 §10.1). */
const singletons: readonly ZoneRecordType[] = ['CNAME', 'ALIAS', 'SOA'];

const pointing: readonly ZoneRecordType[] = ['A', 'AAAA', 'CNAME', 'ALIAS'];

/** A zone of challenges, which takes updates that are signed with a key. */
export type UpdatedZone = {
  readonly name: string;
  readonly key: { readonly name: string; readonly secret: Buffer };
};

interface ZoneOptions {
  readonly platformDomain?: string | undefined;
  /** IPv4 address of the platform domain and everything below it. */
  readonly platformAddress?: string;
  readonly updated?: UpdatedZone | undefined;
  /** The records of zones with a second server. */
  readonly secondServers?: { recordsAt(name: string): readonly ZoneRecord[] };
}

/** Everything this server knows: records that were put into it, failures, and the platform's own domain. */
export class Zone {
  readonly #records = new Map<string, ZoneRecord[]>();
  /** How many names with records stand below a name, which then exists without any of its own too (RFC 4592 §2.2.2). */
  readonly #namesBelow = new Map<string, number>();
  readonly #failures = new Map<string, Failure>();
  readonly #platformDomain: string | undefined;
  readonly #platformAddress: string;
  readonly #secondServers: ZoneOptions['secondServers'];

  /** Rotations of a name, or of the platform domain and everything below it. */
  readonly rotations = new Rotations();
  readonly updated: UpdatedZone | undefined;

  constructor({ platformDomain, platformAddress = '127.0.0.1', updated, secondServers }: ZoneOptions) {
    this.#secondServers = secondServers;
    this.#platformDomain = platformDomain === undefined ? undefined : canonicalName(platformDomain);
    this.#platformAddress = platformAddress;
    this.updated = updated;
  }

  put(record: ZoneRecord): void {
    const here = this.#records.get(record.name);
    if (here === undefined) this.#countBelow(record.name, 1);
    const others = (here ?? []).filter(
      ({ type, data }) => type !== record.type || (data !== record.data && !singletons.includes(type)),
    );
    this.#records.set(record.name, [...others, record]);
  }

  /** Removes the records of a name: all, those of a type, or the one of a type with this data. */
  remove(name: string, type?: string, data?: string): void {
    const isRemoved = (record: ZoneRecord) =>
      (type === undefined || record.type === type) && (data === undefined || record.data === data);
    const kept = (this.#records.get(name) ?? []).filter((record) => !isRemoved(record));
    if (kept.length > 0) this.#records.set(name, kept);
    else if (this.#records.delete(name)) this.#countBelow(name, -1);
  }

  list(): ZoneRecord[] {
    return [...this.#records.values()].flat();
  }

  /** Lists the records without the answers to challenges. */
  listLasting(): ZoneRecord[] {
    const challenges = this.updated?.name;
    return this.list().filter(({ name }) => challenges === undefined || !isWithin(name, challenges));
  }

  putFailure(failure: Failure): void {
    this.#failures.set(failureKey(failure.name, failure.type), failure);
  }

  removeFailure(name: string, type?: string): void {
    this.#failures.delete(failureKey(name, type));
  }

  listFailures(): Failure[] {
    return [...this.#failures.values()];
  }

  /**
   * Answers like a resolver that is the authority as well: a chain of CNAMEs is followed and shown whole, and the
   * outcome is that of its last name (RFC 6604), so a CNAME to nowhere is NXDOMAIN with the CNAME in the answer.
   * @param isUnchecked whether the question has checking of DNSSEC disabled
   */
  resolve(question: string, type: string, isUnchecked = false): Reply {
    const answers: Answer[] = [];
    let name = canonicalName(question);
    while (answers.length < MAX_CHAIN) {
      const failure = this.#failureOf(name, type, isUnchecked);
      if (failure?.rcode === 'TIMEOUT') return { kind: 'none' };
      if (failure) {
        const { rcode, extendedError } = failure;
        return { kind: 'answer', rcode, answers, authorities: this.#authorityOf(name, rcode), extendedError };
      }
      const here = this.#recordsFor(name);
      if (!here) return { kind: 'answer', rcode: 'NXDOMAIN', answers, authorities: [this.#soaOf(name)] };
      const matching = here.filter((record) => record.type === type || (type === 'ANY' && record.type !== 'ALIAS'));
      const shown = matching.length > 0 ? this.#choose(matching, type) : this.#flatten(here, type);
      if (shown.length > 0) {
        answers.push(...shown.map((record) => toAnswer({ ...record, name })));
        return { kind: 'answer', rcode: 'NOERROR', answers, authorities: [] };
      }
      const alias = here.find((record) => record.type === 'CNAME');
      if (!alias) return { kind: 'answer', rcode: 'NOERROR', ...this.#noData(name, type, answers) };
      answers.push(toAnswer({ ...alias, name }));
      name = canonicalName(alias.data);
    }
    return { kind: 'answer', rcode: 'SERVFAIL', answers: [], authorities: [] };
  }

  #failureOf(name: string, type: string, isUnchecked: boolean): Failure | undefined {
    const own = this.#failures.get(failureKey(name, type)) ?? this.#failures.get(failureKey(name));
    const found = own ?? [...this.#failures.values()].find((one) => one.isZone && isWithin(name, one.name));
    return found?.isBogus && isUnchecked ? undefined : found;
  }

  /** Flattens like a provider: an ALIAS shows the addresses of its target, and nothing else. */
  #flatten(here: readonly ZoneRecord[], type: string): readonly ZoneRecord[] {
    const alias = here.find((record) => record.type === 'ALIAS');
    if (alias === undefined || (type !== 'A' && type !== 'AAAA')) return [];
    let next: ZoneRecord | undefined = alias;
    let records: readonly ZoneRecord[] = [];
    for (let hops = 0; next !== undefined && hops < MAX_CHAIN; hops += 1) {
      records = this.#recordsFor(canonicalName(next.data)) ?? [];
      next = records.find((record) => record.type === 'CNAME' || record.type === 'ALIAS');
    }
    return this.#choose(
      records.filter((record) => record.type === type),
      type,
    );
  }

  #choose(records: readonly ZoneRecord[], type: string): readonly ZoneRecord[] {
    return type === 'A' || type === 'AAAA' ? this.rotations.choose(records) : records;
  }

  /** Returns the records of a name, by a wildcard if need be; `undefined` where the name does not exist. */
  #recordsFor(name: string): readonly ZoneRecord[] | undefined {
    const platform = this.#platformRecordsAt(name);
    const servers = this.#serversAt(name);
    const own = this.#ownRecordsAt(name);
    if (own) {
      const replaced = own.some(({ type }) => type === 'A' || type === 'CNAME');
      return [...own, ...(replaced ? [] : platform), ...servers];
    }
    if (platform.length + servers.length > 0) return [...platform, ...servers];
    if (this.#hasNamesBelow(name)) return [];
    return this.#wildcardFor(name);
  }

  /** Addresses that rotate take the place of others, and of a CNAME. */
  #ownRecordsAt(name: string): readonly ZoneRecord[] | undefined {
    const own = this.#records.get(name);
    const rotating = this.rotations.recordsAt(name);
    return rotating && name !== this.#platformDomain
      ? [...(own ?? []).filter(({ type }) => !pointing.includes(type)), ...rotating]
      : own;
  }

  #serversAt(name: string): readonly ZoneRecord[] {
    return this.#secondServers?.recordsAt(name) ?? [];
  }

  /** RFC 4592 §3.3: only the wildcard right below the closest ancestor that exists counts. */
  #wildcardFor(name: string): readonly ZoneRecord[] | undefined {
    for (let parent = parentOf(name); parent !== ''; parent = parentOf(parent)) {
      const wildcard = this.#records.get(`*.${parent}`);
      if (wildcard) return wildcard;
      if (this.#records.has(parent) || this.#hasNamesBelow(parent)) return undefined;
    }
    return undefined;
  }

  #hasNamesBelow(name: string): boolean {
    return this.#namesBelow.has(name);
  }

  #countBelow(name: string, change: 1 | -1): void {
    for (let parent = parentOf(name); parent !== ''; parent = parentOf(parent)) {
      const count = (this.#namesBelow.get(parent) ?? 0) + change;
      if (count > 0) this.#namesBelow.set(parent, count);
      else this.#namesBelow.delete(parent);
    }
  }

  /** The platform's names are at the edge. In the zone of challenges, only its name server is. */
  #platformRecordsAt(name: string): readonly ZoneRecord[] {
    const address = { name, type: 'A', data: this.#platformAddress, ttl: PLATFORM_TTL } as const;
    const challenges = this.updated?.name;
    if (challenges !== undefined && isWithin(name, challenges)) {
      const host = `ns.${challenges}`;
      if (name === challenges) return [{ name, type: 'NS', data: `${host}.`, ttl: PLATFORM_TTL }];
      return name === host ? [address] : [];
    }
    if (this.#platformDomain === undefined || !isWithin(name, this.#platformDomain)) return [];
    return this.rotations.recordsAt(this.#platformDomain) ?? [address];
  }

  /** A zone's own SOA is made up where none was put in, since every real zone has one. */
  #noData(name: string, type: string, answers: Answer[]): { answers: Answer[]; authorities: Answer[] } {
    const soa = this.#soaOf(name);
    return type === 'SOA' && soa.name === name
      ? { answers: [...answers, soa], authorities: [] }
      : { answers, authorities: [soa] };
  }

  #authorityOf(name: string, rcode: Rcode): Answer[] {
    return rcode === 'NXDOMAIN' ? [this.#soaOf(name)] : [];
  }

  #soaOf(name: string): Answer {
    const zone = this.#zoneOf(name);
    const own = this.#records.get(zone)?.find((record) => record.type === 'SOA');
    if (own) return toAnswer(own);
    const data = `ns.dev-dns.test. hostmaster.dev-dns.test. 1 3600 600 86400 ${NEGATIVE_TTL}`;
    return toAnswer({ name: zone, type: 'SOA', data, ttl: NEGATIVE_TTL });
  }

  /** Returns the zone of a name, which begins at NS or SOA records, the platform's domain, or two labels. */
  #zoneOf(name: string): string {
    for (let zone = name; zone !== ''; zone = parentOf(zone)) {
      if (zone === this.#platformDomain || zone === this.updated?.name) return zone;
      const here = [...(this.#records.get(zone) ?? []), ...this.#serversAt(zone)];
      if (here.some(({ type }) => type === 'NS' || type === 'SOA')) return zone;
    }
    return name.split('.').slice(-2).join('.');
  }
}

/** Whether a name is a zone or below it. */
export function isWithin(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

/** The name without its first label; empty for one label. */
export function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot + 1);
}

function failureKey(name: string, type = '*'): string {
  return `${name} ${type}`;
}
