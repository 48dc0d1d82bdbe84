import type { DnsLookup } from '@pets/contracts';
import type { DnsServer } from './dns-servers.js';

/**
 * CAA of the name and of each parent up to the top-level domain (RFC 8659 §3), all at once: the climb is short, and
 * which set decides is not decided here.
 */
export async function gatherCaa(servers: readonly DnsServer[], name: string): Promise<DnsLookup[]> {
  const labels = name.split('.');
  const climb = labels.map((_label, index) => labels.slice(index).join('.'));
  return Promise.all(servers.flatMap((server) => climb.map((ancestor) => server.ask(ancestor, 'CAA'))));
}
