import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './processes/ports.js';
import { programPath, startServiceProcess } from './processes/service-process.js';

/** The secret in base64. */
type NameServerKey = { readonly name: string; readonly secret: string };

export type NameServerOptions = {
  readonly zone: string;
  /** Signs updates and transfers. */
  readonly key: NameServerKey;
  /** The server knows it and permits nothing with it. */
  readonly strangerKey?: NameServerKey;
  /** Address of this machine to listen at; BIND takes only those of its network interfaces. */
  readonly host?: string;
  readonly port?: number;
  /** A secondary that transfers the zone from there, and is notified. */
  readonly primary?: { readonly host: string; readonly port: number };
  /** Secondaries that are notified of changes. */
  readonly secondaries?: readonly { readonly host: string; readonly port: number }[];
  /** Further lines of the zone. */
  readonly records?: readonly string[];
};

export type NameServerProcess = {
  readonly host: string;
  readonly port: number;
  readonly address: string;
  stop(): Promise<void>;
};

type Place = NameServerOptions & { readonly folder: string; readonly host: string; readonly port: number };

const DEFAULT_HOST = '127.0.0.1';

/**
 * Knot DNS with one zone, whose TXT records the key may change.
 * @returns null where knotd is not installed
 */
export function startKnot(options: NameServerOptions): Promise<NameServerProcess | null> {
  return startNameServer('knotd', options, async (place) => {
    const file = join(place.folder, 'knot.conf');
    await writeFile(file, knotConfig(place));
    return ['-c', file];
  });
}

/**
 * BIND with one zone, whose TXT records the key may change.
 * @returns null where named is not installed
 */
export function startBind(options: NameServerOptions): Promise<NameServerProcess | null> {
  return startNameServer('named', options, async (place) => {
    const file = join(place.folder, 'named.conf');
    await writeFile(file, bindConfig(place));
    return ['-g', '-n', '1', '-c', file];
  });
}

async function startNameServer(
  program: string,
  options: NameServerOptions,
  configure: (place: Place) => Promise<string[]>,
): Promise<NameServerProcess | null> {
  const command = programPath(program);
  if (command === null) return null;
  const folder = await mkdtemp(join(tmpdir(), `pets-test-${program}-`));
  const { host = DEFAULT_HOST, port = await freePort() } = options;
  await mkdir(join(folder, 'database'));
  if (options.primary === undefined) await writeFile(join(folder, 'zone'), zoneFile(options));
  const args = await configure({ ...options, folder, host, port });
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const server = await startServiceProcess({ name: program, command, args, host, port });
    return { host, port, address: `${host}:${port}`, stop: () => server.stop().finally(removeFolder) };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}

function zoneFile({ zone, records = [`@ NS ns1`, `ns1 A ${DEFAULT_HOST}`] }: NameServerOptions): string {
  return [`$ORIGIN ${zone}.`, '$TTL 60', `@ SOA ns1 hostmaster 1 60 60 3600 1`, ...records, ''].join('\n');
}

function knotConfig({ folder, host, port, zone, key, strangerKey, primary, secondaries = [] }: Place): string {
  const keys = strangerKey === undefined ? [key] : [key, strangerKey];
  const remotes = [...(primary === undefined ? [] : [primary]), ...secondaries];
  const remoteLines = remotes.map(
    (remote) => `  - id: ${idOf(remote)}\n    address: ${remote.host}@${remote.port}\n    key: ${key.name}\n`,
  );
  return `
server:
    rundir: "${folder}"
    listen: ${host}@${port}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
database:
    storage: "${join(folder, 'database')}"
log:
  - target: stderr
    any: info
key:
${keys.map(({ name, secret }) => `  - id: ${name}\n    algorithm: hmac-sha256\n    secret: ${secret}\n`).join('')}
${remotes.length === 0 ? '' : `remote:\n${remoteLines.join('')}`}
acl:
  - id: update
    key: ${key.name}
    action: update
    update-type: TXT
  - id: transfer
    key: ${key.name}
    action: [transfer, notify]
zone:
  - domain: ${zone}
    storage: "${folder}"
    file: zone
    acl: [update, transfer]
${primary === undefined ? '' : `    master: ${idOf(primary)}`}
${secondaries.length === 0 ? '' : `    notify: [${secondaries.map(idOf).join(', ')}]`}
`;
}

function idOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return `at-${host}-${port}`;
}

function bindConfig({ folder, host, port, zone, key, strangerKey, primary, secondaries = [] }: Place): string {
  const keys = strangerKey === undefined ? [key] : [key, strangerKey];
  const also = secondaries.map((to) => `${to.host} port ${to.port} key "${key.name}";`).join(' ');
  const role =
    primary === undefined
      ? `type primary; update-policy { grant "${key.name}" zonesub TXT; }; also-notify { ${also} };`
      : `type secondary; primaries { ${primary.host} port ${primary.port} key "${key.name}"; };
         allow-notify { key "${key.name}"; };`;
  return `
    options {
      directory "${folder}"; pid-file "${folder}/named.pid"; session-keyfile "${folder}/session.key";
      listen-on port ${port} { ${host}; }; listen-on-v6 { none; };
      query-source address ${host}; transfer-source ${host}; notify-source ${host};
      notify-delay 0; recursion no; dnssec-validation no; allow-transfer { key "${key.name}"; }; notify explicit;
    };
    controls { };
    ${keys.map(({ name, secret }) => `key "${name}" { algorithm hmac-sha256; secret "${secret}"; };`).join('\n')}
    zone "${zone}" { file "zone"; ${role} };
  `;
}
