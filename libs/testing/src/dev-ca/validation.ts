import { createHash } from 'node:crypto';
import { promises as dns } from 'node:dns';
import { request } from 'node:http';
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
