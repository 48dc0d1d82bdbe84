/**
 * What runs containers here. Docker with its compose plugin is taken where its daemon answers; else Podman, behind the
 * interface of Docker that it offers, with docker-compose as the client.
 */
import { openDocker } from './docker.js';
import { openPodman } from './podman.js';

export interface Engine {
  readonly name: string;
  /** Builds the images of docker-compose.yml, and what they are built from where that cannot be had. */
  buildImages(environmentFile: string): Promise<void>;
  /** Runs a command of compose with `environmentFile` as its `.env`, and answers what it printed. */
  compose(environmentFile: string, args: readonly string[], timeoutMs: number): Promise<string>;
  close(): Promise<void>;
}

export interface EngineSurroundings {
  readonly repositoryRoot: string;
  /** For the commands that are run. */
  readonly env: Readonly<Record<string, string>>;
  /** The npm that runs this: `…/npm/bin/npm-cli.js`. */
  readonly npmCli: string;
  /** A folder that goes away at the end. */
  readonly scratch: string;
  readonly say: (line: string) => void;
}

/** @throws Error where there is neither, saying what to install */
export async function openEngine(surroundings: EngineSurroundings): Promise<Engine> {
  const engine = (await openDocker(surroundings)) ?? (await openPodman(surroundings));
  if (engine !== null) return engine;
  throw new Error(
    'neither Docker with its compose plugin nor Podman with docker-compose answers. On Debian: ' +
      'apt-get install podman docker-compose netavark aardvark-dns iptables debootstrap',
  );
}
