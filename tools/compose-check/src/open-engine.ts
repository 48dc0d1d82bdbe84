/**
 * What runs containers here. Docker with its compose plugin is taken where its daemon answers; else Podman, behind the
 * interface of Docker that it offers, with docker-compose as the client.
 */
import { runCommand, succeeds } from './run-command.js';
import type { ComposeOptions, Engine, EngineEnvironment } from './engine.js';
import { openPodman } from './podman.js';
import { INSTALL_HINT } from './podman-parts.js';

const LOOK_LIMIT_MS = 10_000;
const BUILD_LIMIT_MS = 30 * 60_000;

/** @throws Error where there is neither, saying what to install */
export async function openEngine(environment: EngineEnvironment): Promise<Engine> {
  const engine = (await openDocker(environment)) ?? (await openPodman(environment));
  if (engine !== null) return engine;
  throw new Error(`neither Docker with its compose plugin nor Podman with docker-compose answers. ${INSTALL_HINT}`);
}

/** @returns null where no daemon answers or the compose plugin is missing */
async function openDocker({ repositoryRoot, env, say }: EngineEnvironment): Promise<Engine | null> {
  const base = { cwd: repositoryRoot, env };
  for (const args of [['info'], ['compose', 'version']]) {
    if (!(await succeeds('docker', args, { ...base, timeoutMs: LOOK_LIMIT_MS }))) return null;
  }
  const compose = (environmentFile: string, args: readonly string[], { alsoFile, ...options }: ComposeOptions) => {
    const files = alsoFile === undefined ? [] : ['--file', 'docker-compose.yml', '--file', alsoFile];
    return runCommand('docker', ['compose', '--env-file', environmentFile, ...files, ...args], { ...base, ...options });
  };
  return {
    name: 'Docker',
    canRun: true,
    buildImages: async (environmentFile) => {
      say('building the images (minutes, the first time)');
      await compose(environmentFile, ['build'], { timeoutMs: BUILD_LIMIT_MS });
    },
    compose,
    close: () => Promise.resolve(),
  };
}
