import { freePort, type RunningChild } from '@pets/testing/processes';
import { PLATFORM_DOMAIN, type Environment } from '../environments.js';
import { built, run } from '../programs.js';
import { settings as labSettings } from '../settings.js';

/** Options of an edge that has a feed, but no pets-api behind it. */
export interface EdgeAloneOptions {
  /** URL of the feed. */
  readonly apiUrl: string;
  readonly token: string;
  readonly storageUrl: string;
  readonly dataFolder: string;
  /** Keys of sealed certificates. */
  readonly keks: string;
  /** The certificate of the platform. */
  readonly certificatePem: string;
  readonly keyPem: string;
  /** The port of visitors over HTTPS; a free one by default. */
  readonly httpsPort?: number;
  /** Further settings. */
  readonly settings?: Environment;
  /** A file that its log goes to, as that of a service does, and not to this process. */
  readonly logFile?: string;
  /** The command that runs it, such as on one processor. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
  /** Receives every line that it prints, but for its log if that has a file. */
  readonly onLine?: (line: string) => void;
}

export interface EdgeAlone extends RunningChild {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly healthPort: number;
}

/** Starts one built edge, without waiting until it is ready. */
export async function startEdgeAlone({
  wrap = (command) => command,
  ...options
}: EdgeAloneOptions): Promise<EdgeAlone> {
  const ports = {
    httpPort: await freePort(),
    httpsPort: options.httpsPort ?? (await freePort()),
    healthPort: await freePort(),
  };
  const { PROFILE: folder } = labSettings;
  const profiling = folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
  const node = wrap([process.execPath, ...profiling, built('edge')]);
  const [command = '', ...args] = options.logFile === undefined ? node : [...loggingTo(options.logFile), ...node];
  const child = run({ name: 'edge', command, args, env: environmentOf(options, ports), onLine: options.onLine });
  return { ...child, ...ports };
}

function loggingTo(file: string): readonly string[] {
  return ['sh', '-c', 'log="$1"; shift; exec "$@" >>"$log"', 'sh', file];
}

type Ports = Pick<EdgeAlone, 'httpPort' | 'httpsPort' | 'healthPort'>;

function environmentOf(options: Omit<EdgeAloneOptions, 'wrap'>, ports: Ports): Environment {
  return {
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    HOST: '127.0.0.1',
    EDGE_HTTP_PORT: String(ports.httpPort),
    EDGE_HTTPS_PORT: String(ports.httpsPort),
    HEALTH_PORT: String(ports.healthPort),
    API_URL: options.apiUrl,
    EDGE_TOKEN: options.token,
    CERTIFICATE_KEKS: options.keks,
    PLATFORM_DOMAIN,
    PLATFORM_CERTIFICATE: options.certificatePem,
    PLATFORM_KEY: options.keyPem,
    STORAGE_URL: options.storageUrl,
    EDGE_DATA_DIR: options.dataFolder,
    // What is measured or attacked are the limits of one process.
    EDGE_PROCESSES: '1',
    ...options.settings,
  };
}
