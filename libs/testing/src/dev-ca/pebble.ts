import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../processes/ports.js';
import { programPath, startServiceProcess, type ServiceProcess } from '../processes/service-process.js';
import { issuePlatformCertificate, openAuthority } from './authority.js';

export type PebbleOptions = {
  /** Port that challenges are fetched from. */
  readonly httpPort: number;
  /** Resolver of names, as `host:port`. */
  readonly dnsServer: string;
  /** Share of requests refused with badNonce, in percent, as real CAs do now and then. */
  readonly nonceRejectPercent?: number;
  /** How long certificates are valid; 90 days by default. */
  readonly certificateSeconds?: number;
  /** Names the CA refuses to issue for. */
  readonly blockedDomains?: readonly string[];
  /** A challenge is looked at after less than so many seconds, as Pebble draws them; at once by default. */
  readonly validationSeconds?: number;
  /** Key id → HMAC key (base64url) of the accounts it knows already; where given, it registers no others. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
};

export type Pebble = {
  readonly directoryUrl: string;
  /** CA of Pebble's own TLS port, for NODE_EXTRA_CA_CERTS; not the root of the certificates it issues. */
  readonly caCertificatePath: string;
  /** Certificate and key of Pebble's port, for a server that takes its place. */
  readonly tls: { readonly certificatePem: string; readonly privateKeyPem: string };
  readonly pid: number;
  /** How many orders it has received since the first start. */
  readonly orders: number;
  /** Ends at once, and is there again at the same port with everything forgotten: accounts, orders, nonces, its root. */
  restart(): Promise<void>;
  /** The root that issued chains lead to; new at each start. */
  fetchRoot(): Promise<string>;
  /** Whether a certificate counts, as its OCSP responder would say, by its serial number in hex. */
  certificateStatus(serialNumber: string): Promise<{ readonly Status: string; readonly Reason?: number }>;
  stop(): Promise<void>;
};

/** Text that Pebble logs for each order. */
const ORDER_LINE = 'Added order';

const NINETY_DAYS_SECONDS = 7_776_000;
const REQUEST_LIMIT_MS = 5_000;

/**
 * Let's Encrypt's test CA, as a process of the caller's own.
 * @returns null where pebble is not installed
 */
export async function startPebble(options: PebbleOptions): Promise<Pebble | null> {
  const command = programPath('pebble');
  if (command === null) return null;
  const folder = await mkdtemp(join(tmpdir(), 'pets-pebble-'));
  const [port, managementPort] = [await freePort(), await freePort()];
  const { caCertificatePath, made, ...files } = await makeTls(folder);
  const configPath = join(folder, 'pebble.json');
  await writeFile(configPath, JSON.stringify(configOf(options, { port, managementPort, ...files })));
  let orders = 0;
  const start = () =>
    startServiceProcess({
      name: 'pebble',
      command,
      args: ['-config', configPath, '-dnsserver', options.dnsServer],
      env: environmentOf(options),
      port,
      onLine: (line) => (orders += line.includes(ORDER_LINE) ? 1 : 0),
    });
  let server: ServiceProcess = await start();
  return {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    caCertificatePath,
    tls: made,
    get pid() {
      return server.pid;
    },
    get orders() {
      return orders;
    },
    restart: async () => {
      process.kill(server.pid, 'SIGKILL');
      await server.exited;
      server = await start();
    },
    fetchRoot: async () =>
      fetchText(`https://127.0.0.1:${managementPort}/roots/0`, (await openAuthority(folder)).rootCertificatePem),
    certificateStatus: async (serialNumber) => {
      const url = `https://127.0.0.1:${managementPort}/cert-status-by-serial/${serialNumber}`;
      // Pebble's own answer.
      return JSON.parse(await fetchText(url, (await openAuthority(folder)).rootCertificatePem)) as Awaited<
        ReturnType<Pebble['certificateStatus']>
      >;
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

type Places = {
  readonly port: number;
  readonly managementPort: number;
  readonly certificate: string;
  readonly privateKey: string;
};

function configOf(options: PebbleOptions, { port, managementPort, ...tls }: Places) {
  return {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      ...tls,
      httpPort: options.httpPort,
      tlsPort: options.httpPort,
      ocspResponderURL: '',
      externalAccountBindingRequired: options.externalAccounts !== undefined,
      externalAccountMACKeys: options.externalAccounts ?? {},
      domainBlocklist: options.blockedDomains ?? [],
      certificateValidityPeriod: options.certificateSeconds ?? NINETY_DAYS_SECONDS,
    },
  };
}

function environmentOf({ nonceRejectPercent = 0, validationSeconds }: PebbleOptions): Record<string, string> {
  return {
    PEBBLE_WFE_NONCEREJECT: String(nonceRejectPercent),
    ...(validationSeconds === undefined
      ? { PEBBLE_VA_NOSLEEP: '1' }
      : { PEBBLE_VA_SLEEPTIME: String(validationSeconds) }),
  };
}

/** Pebble insists on TLS for itself and brings no certificate. */
async function makeTls(folder: string) {
  const authority = await openAuthority(folder);
  const made = await issuePlatformCertificate(authority, ['localhost', '127.0.0.1']);
  const certificate = join(folder, 'pebble.pem');
  const privateKey = join(folder, 'pebble.key');
  await writeFile(certificate, made.certificatePem);
  await writeFile(privateKey, made.privateKeyPem, { mode: 0o600 });
  return { caCertificatePath: authority.rootCertificatePath, certificate, privateKey, made };
}

function fetchText(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asking = get(url, { ca, signal: AbortSignal.timeout(REQUEST_LIMIT_MS) }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body += chunk));
      response.on('end', () => resolve(body));
    });
    asking.on('error', reject);
  });
}

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
