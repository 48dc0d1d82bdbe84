/**
 * What runs containers here. Docker with its compose plugin is taken where its daemon answers; else Podman, behind the
 * interface of Docker that it offers, with docker-compose as the client.
 */
import { openDocker } from './docker.js';
import type { Engine, EngineEnvironment } from './engine.js';
import { openPodman } from './podman.js';

/** @throws Error where there is neither, saying what to install */
export async function openEngine(surroundings: EngineEnvironment): Promise<Engine> {
  const engine = (await openDocker(surroundings)) ?? (await openPodman(surroundings));
  if (engine !== null) return engine;
  throw new Error(
    'neither Docker with its compose plugin nor Podman with docker-compose answers. On Debian: ' +
      'apt-get install podman docker-compose netavark aardvark-dns iptables debootstrap runc',
  );
}
