import { createHash } from 'node:crypto';
import { promises as dns } from 'node:dns';
import { Problem } from './problem.js';

const DNS_LIMIT_MS = 2_000;

/**
 * RFC 8555 §8.4: a TXT record below the name, or where CNAMEs lead from there, must have the hash of the key authorization.
 * @throws Problem with what was found
 */
export async function validateDns01(
  { host, keyAuthorization }: { readonly host: string; readonly keyAuthorization: string },
  dnsServers: readonly string[],
): Promise<void> {
  const expected = createHash('sha256').update(keyAuthorization).digest('base64url');
  const name = `_acme-challenge.${host}`;
  const found = await textsAt(name, dnsServers);
  if (found.includes(expected)) return;
  const seen = found.length === 0 ? 'no TXT record found' : `incorrect TXT record ${JSON.stringify(found[0])} found`;
  throw new Problem('unauthorized', `${seen} at ${name}`);
}

async function textsAt(name: string, dnsServers: readonly string[]): Promise<string[]> {
  const resolver = new dns.Resolver({ timeout: DNS_LIMIT_MS, tries: 2 });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'; // what node:dns throws
    if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
    throw new Problem('dns', `looking up TXT for ${name}: ${code}`);
  }
}
