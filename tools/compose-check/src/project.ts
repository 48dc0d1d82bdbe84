import { randomBytes, randomInt } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '@pets/testing/processes';
import type { Engine } from './engine.js';

const UP_LIMIT_MS = 5 * 60_000;
const DOWN_LIMIT_MS = 3 * 60_000;
const COMMAND_LIMIT_MS = 2 * 60_000;
const LOG_LINES = 40;

/** A stack of docker-compose.yml with the development profile, beside whatever else runs on this machine. */
export interface Project {
  readonly ports: Ports;
  /** Address of the edge in the network of the containers. */
  readonly edgeAddress: string;
  /** Starts these services, or all, and what they need. `--wait` waits until they are healthy. */
  up(...args: readonly string[]): Promise<void>;
  /** Stops and removes the containers; what the volumes hold stays. */
  down(): Promise<void>;
  /** … and the volumes. */
  erase(): Promise<void>;
  /** Stops services; their containers stay. */
  stop(...services: readonly string[]): Promise<void>;
  /** Starts services that were stopped. */
  start(...services: readonly string[]): Promise<void>;
  /** Runs a command in a service's container, and answers what it printed. */
  exec(service: string, command: readonly string[]): Promise<string>;
  /** Whether this engine has `run`. */
  readonly canRun: boolean;
  /** Runs a command in a new container, which is then removed, and answers what it printed. */
  run(args: readonly string[], input?: string): Promise<string>;
  /** The ids of a service's containers. */
  containersOf(service: string): Promise<readonly string[]>;
  /** The last lines that the services logged, for whoever looks for a reason. */
  logs(): Promise<string>;
}

interface Ports {
  readonly api: number;
  readonly apiInternal: number;
  readonly edgeHttp: number;
  readonly edgeHttps: number;
  /** Ports of the load balancer before both edges. */
  readonly http: number;
  readonly https: number;
  readonly dnsControl: number;
  readonly pebble: number;
}

export interface ProjectOptions {
  /** Settings on top of those of a first try. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A file on top of docker-compose.yml. */
  readonly alsoFile?: string;
}

/** @param environmentFile where the project's settings are written, as an operator would write `.env` */
export async function openProject(
  engine: Engine,
  environmentFile: string,
  { settings = {}, alsoFile }: ProjectOptions = {},
): Promise<Project> {
  const compose = (args: readonly string[], timeoutMs = COMMAND_LIMIT_MS, input = '') =>
    engine.compose(environmentFile, args, { timeoutMs, input, ...(alsoFile !== undefined && { alsoFile }) });
  const ports: Ports = {
    api: await freePort(),
    apiInternal: await freePort(),
    edgeHttp: await freePort(),
    edgeHttps: await freePort(),
    http: await freePort(),
    https: await freePort(),
    dnsControl: await freePort(),
    pebble: await freePort(),
  };
  const networkPrefix = `10.${randomInt(60, 120)}.${randomInt(256)}`;
  await writeFile(environmentFile, settingsText(ports, networkPrefix, settings), { mode: 0o600 });
  return {
    ports,
    edgeAddress: `${networkPrefix}.80`,
    up: async (...args) => void (await compose(['up', '--detach', ...args], UP_LIMIT_MS)),
    down: async () => void (await compose(['down', '--remove-orphans'], DOWN_LIMIT_MS)),
    erase: async () => void (await compose(['down', '--remove-orphans', '--volumes'], DOWN_LIMIT_MS)),
    stop: async (...services) => void (await compose(['stop', ...services])),
    start: async (...services) => void (await compose(['start', ...services])),
    exec: (service, command) => compose(['exec', '-T', service, ...command]),
    canRun: engine.canRun,
    run: (args, input) => compose(['run', '--rm', '-T', ...args], COMMAND_LIMIT_MS, input),
    containersOf: async (service) => (await compose(['ps', '--quiet', service])).split('\n').filter(Boolean),
    logs: () => compose(['logs', '--no-color', `--tail=${LOG_LINES}`]),
  };
}

export function environmentFileIn(folder: string): string {
  return join(folder, 'compose.env');
}

/** Names, ports and a network of its own; all else has its default, as for somebody who tries it for the first time. */
function settingsText(ports: Ports, networkPrefix: string, more: Readonly<Record<string, string>>): string {
  const settings = {
    COMPOSE_PROJECT_NAME: `pets-check-${randomBytes(3).toString('hex')}`,
    COMPOSE_PROFILES: 'dev,haproxy,backup',
    IMAGES: 'pets-check',
    API_PORT: ports.api,
    API_INTERNAL_PORT: ports.apiInternal,
    PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
    EDGE_HTTP_PORT: `127.0.0.1:${ports.edgeHttp}`,
    EDGE_HTTPS_PORT: `127.0.0.1:${ports.edgeHttps}`,
    HAPROXY_HTTP_PORT: ports.http,
    HAPROXY_HTTPS_PORT: ports.https,
    PUBLIC_HTTPS_PORT: ports.https,
    EDGE_DRAIN_SECONDS: 3,
    DEV_DNS_CONTROL_PORT: ports.dnsControl,
    PEBBLE_MANAGEMENT_PORT: ports.pebble,
    NETWORK_PREFIX: networkPrefix,
    ...more,
  };
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
