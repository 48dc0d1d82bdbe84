import { createHash } from 'node:crypto';
import { promises as dns, type CaaRecord } from 'node:dns';
import { request } from 'node:http';
import { baseOf, isWildcard } from './orders.js';
import { Problem } from './problem.js';

type ChallengeProbe = {
  readonly host: string;
  readonly token: string;
  /** Expected answer: token, a dot, and the thumbprint of the account's key. */
  readonly keyAuthorization: string;
};

export type Http01Options = {
  /** Resolvers of names, as `host:port`; empty for the system's. */
  readonly dnsServers: readonly string[];
  /** Real CAs use 80; here it is the edge's HTTP port. */
  readonly httpPort: number;
};

const DNS_LIMIT_MS = 2_000;
const HTTP_LIMIT_MS = 5_000;
/** A key authorization has about 90 bytes. */
const BODY_LIMIT_BYTES = 1_024;

/**
 * RFC 8555 §8.3: the name's own HTTP server must answer with the key authorization. Really looked up, really fetched.
 * Redirects are not followed: nothing of ours answers a challenge by one.
 * @throws Problem with what went wrong
 */
export async function validateHttp01(probe: ChallengeProbe, options: Http01Options): Promise<void> {
  const address = await addressOf(probe.host, options.dnsServers);
  const url = `http://${probe.host}/.well-known/acme-challenge/${probe.token}`;
  const answer = await fetchFrom(address, options.httpPort, probe);
  if (answer.status !== 200) {
    throw new Problem('unauthorized', `${address}: invalid response from ${url}: ${answer.status}`);
  }
  // Trailing white space is to be ignored (RFC 8555 §8.3).
  if (answer.body.trimEnd() !== probe.keyAuthorization) {
    const seen = JSON.stringify(answer.body.slice(0, 100));
    throw new Problem('unauthorized', `${address}: the key authorization file from ${url} holds ${seen}`);
  }
}

async function addressOf(host: string, dnsServers: readonly string[]): Promise<string> {
  const resolver = new dns.Resolver({ timeout: DNS_LIMIT_MS, tries: 2 });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  const lookUp = async (family: 'A' | 'AAAA') => {
    try {
      return family === 'A' ? await resolver.resolve4(host) : await resolver.resolve6(host);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'; // what node:dns throws
      if (code === 'ENODATA') return [];
      throw new Problem('dns', `looking up ${family} for ${host}: ${code}`);
    }
  };
  const [address] = [...(await lookUp('A')), ...(await lookUp('AAAA'))];
  if (address === undefined) throw new Problem('dns', `no A or AAAA records found for ${host}`);
  return address;
}

function fetchFrom(
  address: string,
  port: number,
  { host, token }: ChallengeProbe,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const failed = (why: string) =>
      reject(new Problem('connection', `${address}: fetching http://${host}:${port}: ${why}`));
    const asking = request(
      {
        host: address,
        port,
        path: `/.well-known/acme-challenge/${token}`,
        headers: { host, 'user-agent': 'pets-development-ca', connection: 'close' },
        signal: AbortSignal.timeout(HTTP_LIMIT_MS),
        agent: false,
      },
      (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
          if (body.length > BODY_LIMIT_BYTES) response.destroy(new Error('the answer is too long'));
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
        response.on('error', (error) => failed(error.message));
      },
    );
    asking.on('error', (error) =>
      failed(error.name === 'AbortError' || error.name === 'TimeoutError' ? 'timeout' : error.message),
    );
    asking.end();
  });
}

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

/** The name that CAA records call this CA by (RFC 8555 §7.1.1). */
export const CAA_IDENTITY = 'dev-ca.test';

/** Tags that are understood, or that say nothing about issuance; others, when critical, forbid it (RFC 8659 §4.1). */
const knownTags = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone']);
/** RFC 8659 §4.1: bit 0, the highest, is the critical one. Public CAs take the lowest for critical too. */
const CRITICAL_BITS = 0x81;

type CaaPolicy = { readonly accountUrl: string; readonly method: string };

/**
 * Whether the owner lets this CA issue for a name by a method (RFC 8659, with the parameters of RFC 8657).
 * @throws Problem `caa` when not, `dns` when it could not be found out
 */
export async function assertCaaPermits(name: string, policy: CaaPolicy, dnsServers: readonly string[]): Promise<void> {
  const resolver = new dns.Resolver({ timeout: DNS_LIMIT_MS, tries: 2 });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  const labels = baseOf(name).split('.');
  // RFC 8659 §3: from the name upwards, until a set that is not empty.
  for (let index = 0; index < labels.length; index++) {
    const holder = labels.slice(index).join('.');
    const records = await recordsAt(resolver, holder);
    if (records.length === 0) continue;
    if (!permits(records, policy, isWildcard(name)))
      throw new Problem('caa', `CAA record for ${holder} prevents issuance for ${name} by ${CAA_IDENTITY}`);
    return;
  }
}

/** Whether a CAA set permits issuance; tags are compared without regard to case (RFC 8659 §4.1). */
function permits(records: readonly CaaRecord[], policy: CaaPolicy, isForWildcard: boolean): boolean {
  const properties = records.flatMap(propertiesOf);
  if (properties.some(({ critical, tag }) => (critical & CRITICAL_BITS) !== 0 && !knownTags.has(tag))) return false;
  // RFC 8659 §4.3: `issuewild` decides on a wildcard, if the set has it.
  const isWild = isForWildcard && properties.some(({ tag }) => tag === 'issuewild');
  const issuers = properties.filter(({ tag }) => tag === (isWild ? 'issuewild' : 'issue'));
  return issuers.length === 0 || issuers.some(({ value }) => isMeant(value, policy));
}

/** Returns the properties of a record without the record type that Node adds. */
function propertiesOf({ critical, ...tagged }: CaaRecord) {
  return Object.entries(tagged)
    .filter(([tag, value]) => !(tag === 'type' && value === 'CAA'))
    .map(([tag, value]) => ({ critical, tag: tag.toLowerCase(), value: String(value) }));
}

/** RFC 8659 §4.2, as strict as public CAs are: one malformed parameter, or one given twice, and the record permits nothing. */
function isMeant(text: string, { accountUrl, method }: CaaPolicy): boolean {
  const [issuer = '', ...rest] = text.split(';').map(trimmed);
  const parameters = (rest.length === 1 && rest[0] === '' ? [] : rest).map(parseParameter);
  const [methods, accounts] = ['validationmethods', 'accounturi'].map((wanted) =>
    parameters.flatMap((parameter) => (parameter?.tag === wanted ? [parameter.value] : [])),
  );
  return (
    issuer.toLowerCase() === CAA_IDENTITY &&
    !parameters.includes(null) &&
    isAtMostOne(methods, (value) => value.split(',').includes(method)) &&
    isAtMostOne(accounts, (value) => value === accountUrl)
  );
}

function parseParameter(text: string): { readonly tag: string; readonly value: string } | null {
  const equals = text.indexOf('=');
  const tag = trimmed(text.slice(0, Math.max(0, equals)));
  const value = trimmed(text.slice(equals + 1));
  return /^[A-Za-z0-9]+$/.test(tag) && /^[\x21-\x7e]*$/.test(value) ? { tag: tag.toLowerCase(), value } : null;
}

function isAtMostOne(values: readonly string[] = [], isRight: (value: string) => boolean): boolean {
  return values.length <= 1 && values.every(isRight);
}

function trimmed(text: string): string {
  return text.replaceAll(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

async function recordsAt(resolver: dns.Resolver, name: string): Promise<CaaRecord[]> {
  try {
    return await resolver.resolveCaa(name);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'; // what node:dns throws
    if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
    throw new Problem('dns', `looking up CAA for ${name}: ${code}`);
  }
}
