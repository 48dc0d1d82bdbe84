import { freePort } from './processes/ports.js';
import { programPath, startServiceProcess } from './processes/service-process.js';

export type Challtestsrv = {
  /** `127.0.0.1:<port>`, for resolvers. */
  readonly address: string;
  /** The HTTP interface that sets and removes records. */
  readonly controlUrl: string;
  readonly pid: number;
  addA(host: string, ...addresses: string[]): Promise<void>;
  clearA(host: string): Promise<void>;
  addAaaa(host: string, ...addresses: string[]): Promise<void>;
  setCname(host: string, target: string): Promise<void>;
  clearCname(host: string): Promise<void>;
  /** Values of one name accumulate. */
  setTxt(host: string, value: string): Promise<void>;
  clearTxt(host: string): Promise<void>;
  addCaa(host: string, ...policies: { tag: string; value: string }[]): Promise<void>;
  setServfail(host: string): Promise<void>;
  clearServfail(host: string): Promise<void>;
  stop(): Promise<void>;
};

const REQUEST_LIMIT_MS = 5_000;

/**
 * Pebble's test DNS server: an implementation that is not ours. It never answers NXDOMAIN, follows a CNAME one level, and
 * answers SERVFAIL for all types of a name only; our development DNS server does the rest.
 * @returns null where pebble-challtestsrv is not installed
 */
export async function startChalltestsrv(): Promise<Challtestsrv | null> {
  const command = programPath('pebble-challtestsrv');
  if (command === null) return null;
  const [dnsPort, managementPort] = [await freePort(), await freePort()];
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv4', '', '-defaultIPv6', ''];
  const server = await startServiceProcess({
    name: 'pebble-challtestsrv',
    command,
    args: ['-dns01', `127.0.0.1:${dnsPort}`, '-management', `127.0.0.1:${managementPort}`, ...off],
    port: managementPort,
  });
  const controlUrl = `http://127.0.0.1:${managementPort}`;
  const control = async (operation: string, body: object) => {
    const response = await fetch(`${controlUrl}/${operation}`, {
      method: 'POST',
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    if (!response.ok)
      throw new Error(`challtestsrv ${operation} answered ${response.status}: ${await response.text()}`);
  };
  return {
    address: `127.0.0.1:${dnsPort}`,
    controlUrl,
    pid: server.pid,
    addA: (host, ...addresses) => control('add-a', { host: absolute(host), addresses }),
    clearA: (host) => control('clear-a', { host: absolute(host) }),
    addAaaa: (host, ...addresses) => control('add-aaaa', { host: absolute(host), addresses }),
    setCname: (host, target) => control('set-cname', { host: absolute(host), target: absolute(target) }),
    clearCname: (host) => control('clear-cname', { host: absolute(host) }),
    setTxt: (host, value) => control('set-txt', { host: absolute(host), value }),
    clearTxt: (host) => control('clear-txt', { host: absolute(host) }),
    addCaa: (host, ...policies) => control('add-caa', { host: absolute(host), policies }),
    setServfail: (host) => control('set-servfail', { host: absolute(host) }),
    clearServfail: (host) => control('clear-servfail', { host: absolute(host) }),
    stop: () => server.stop(),
  };
}

/** Adds the trailing dot: the server accepts an entry without it and never uses it. */
function absolute(host: string): string {
  return host.endsWith('.') ? host : `${host}.`;
}
