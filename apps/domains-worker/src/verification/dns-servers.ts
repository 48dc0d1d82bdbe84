import { getServers, promises as dns, type CaaRecord } from 'node:dns';
import { Inject, Injectable } from '@nestjs/common';
import type { DnsAnswer, DnsLookup, DnsQuestionType } from '@pets/contracts';
import type { Config } from '../config.js';
import { codeOf, failureText } from '../failure-text.js';
import { CONFIG } from '../providers.js';

/** One try may be lost with its packet; more would use up the job's time. */
const RESOLVER_OPTIONS = { timeout: 2_000, tries: 2 };
const DNS_PORT = 53;

/** Puts questions to one server, and tells what it said apart from what it failed to say. Never throws. */
export interface DnsServer {
  ask(name: string, type: DnsQuestionType): Promise<DnsLookup>;
}

/** The resolvers that are asked, each on its own: they may disagree while a change propagates, and that is a fact too. */
@Injectable()
export class DnsServers {
  readonly #addresses: readonly string[];

  constructor(@Inject(CONFIG) { DNS_RESOLVERS }: Pick<Config, 'DNS_RESOLVERS'>) {
    this.#addresses = DNS_RESOLVERS ?? [...new Set(getServers().map(withPort))];
  }

  /** For one job: what is still unanswered when its signal is aborted counts as failed. */
  open(signal: AbortSignal): readonly DnsServer[] {
    return this.#addresses.map((address) => openServer(address, signal));
  }
}

function withPort(address: string): string {
  if (address.includes(']:') || /^[^:]+:\d+$/.test(address)) return address;
  return address.includes(':') ? `[${address}]:${DNS_PORT}` : `${address}:${DNS_PORT}`;
}

function openServer(address: string, signal: AbortSignal): DnsServer {
  const resolver = new dns.Resolver(RESOLVER_OPTIONS);
  resolver.setServers([address]);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  return {
    ask: async (name, type) => ({ name, type, server: address, answer: await ask(resolver, name, type, signal) }),
  };
}

async function ask(
  resolver: dns.Resolver,
  name: string,
  type: DnsQuestionType,
  signal: AbortSignal,
): Promise<DnsAnswer> {
  if (signal.aborted) return { kind: 'failed', error: 'ECANCELLED' };
  try {
    const records = await resolve(resolver, name, type);
    // An address look-up that ends in a dangling CNAME has no error and no records.
    return records.length === 0 ? { kind: 'absent' } : { kind: 'found', records };
  } catch (error) {
    const code = codeOf(error) ?? failureText(error);
    return code === 'ENOTFOUND' || code === 'ENODATA' ? { kind: 'absent' } : { kind: 'failed', error: code };
  }
}

type Records = Extract<DnsAnswer, { kind: 'found' }>['records'];

async function resolve(resolver: dns.Resolver, name: string, type: DnsQuestionType): Promise<Records> {
  switch (type) {
    case 'CNAME':
      return (await resolver.resolveCname(name)).map((target) => ({ value: hostOf(target), ttl: null }));
    case 'A':
      return (await resolver.resolve4(name, { ttl: true })).map(({ address, ttl }) => ({ value: address, ttl }));
    case 'AAAA':
      return (await resolver.resolve6(name, { ttl: true })).map(({ address, ttl }) => ({ value: address, ttl }));
    case 'TXT':
      return (await resolver.resolveTxt(name)).map((strings) => ({ value: strings.join(''), ttl: null }));
    case 'CAA':
      return (await resolver.resolveCaa(name)).flatMap((record) =>
        presentCaa(record).map((value) => ({ value, ttl: null })),
      );
  }
}

function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}

/** Node gives a record as `{ type: 'CAA', critical: <flags>, <tag>: <value> }`; tags it does not know come the same way. */
function presentCaa(record: CaaRecord): string[] {
  const { critical, ...properties } = record;
  return Object.entries(properties)
    .filter(([tag]) => tag !== 'type')
    .map(([tag, value]) => `${critical} ${tag} "${String(value)}"`);
}
