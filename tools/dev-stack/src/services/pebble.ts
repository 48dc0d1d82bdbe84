import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issuePlatformCertificate, openAuthority } from '../dev-ca/authority.js';
import { freePort } from '../ports.js';
import { programPath, startServiceProcess } from './service-process.js';

export type PebbleOptions = {
  /** Where challenges are fetched. */
  readonly httpPort: number;
  /** Where names are looked up, as `host:port`. */
  readonly dnsServer: string;
  /** Share of requests refused with badNonce, in percent, as real CAs do now and then. */
  readonly nonceRejectPercent?: number;
  /** How long certificates are valid; 90 days by default. */
  readonly certificateSeconds?: number;
  /** Names the CA refuses to issue for. */
  readonly blockedDomains?: readonly string[];
};

export type Pebble = {
  readonly directoryUrl: string;
  /** Of Pebble's own TLS port: for NODE_EXTRA_CA_CERTS. Not the root of what it issues. */
  readonly caCertificatePath: string;
  readonly pid: number;
  /** The root that issued chains lead to; new at each start. */
  fetchRoot(): Promise<string>;
  stop(): Promise<void>;
};

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
  const { caCertificatePath, ...tls } = await makeTls(folder);
  const config = {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      ...tls,
      httpPort: options.httpPort,
      tlsPort: options.httpPort,
      ocspResponderURL: '',
      externalAccountBindingRequired: false,
      domainBlocklist: options.blockedDomains ?? [],
      certificateValidityPeriod: options.certificateSeconds ?? NINETY_DAYS_SECONDS,
    },
  };
  const configPath = join(folder, 'pebble.json');
  await writeFile(configPath, JSON.stringify(config));
  const server = await startServiceProcess({
    name: 'pebble',
    command,
    args: ['-config', configPath, '-dnsserver', options.dnsServer],
    env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: String(options.nonceRejectPercent ?? 0) },
    port,
  });
  return {
    directoryUrl: `https://127.0.0.1:${port}/dir`,
    caCertificatePath,
    pid: server.pid,
    fetchRoot: async () =>
      fetchText(`https://127.0.0.1:${managementPort}/roots/0`, (await openAuthority(folder)).rootCertificatePem),
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Pebble insists on TLS for itself and brings no certificate. */
async function makeTls(
  folder: string,
): Promise<{ caCertificatePath: string; certificate: string; privateKey: string }> {
  const authority = await openAuthority(folder);
  const made = await issuePlatformCertificate(authority, ['localhost', '127.0.0.1']);
  const [certificate, privateKey] = [join(folder, 'pebble.pem'), join(folder, 'pebble.key')];
  await writeFile(certificate, made.certificatePem);
  await writeFile(privateKey, made.privateKeyPem, { mode: 0o600 });
  return { caCertificatePath: authority.rootCertificatePath, certificate, privateKey };
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
