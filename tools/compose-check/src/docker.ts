import type { Engine, EngineEnvironment } from './engine.js';
import { runCommand, succeeds } from './run-command.js';

const LOOK_LIMIT_MS = 10_000;
const BUILD_LIMIT_MS = 30 * 60_000;

/** @returns null where no daemon answers or the compose plugin is missing */
export async function openDocker({ repositoryRoot, env, say }: EngineEnvironment): Promise<Engine | null> {
  const base = { cwd: repositoryRoot, env };
  for (const args of [['info'], ['compose', 'version']]) {
    if (!(await succeeds('docker', args, { ...base, timeoutMs: LOOK_LIMIT_MS }))) return null;
  }
  const compose = (environmentFile: string, args: readonly string[], timeoutMs: number) =>
    runCommand('docker', ['compose', '--env-file', environmentFile, ...args], { ...base, timeoutMs });
  return {
    name: 'Docker',
    buildImages: async (environmentFile) => {
      say('building the images (minutes, the first time)');
      await compose(environmentFile, ['build'], BUILD_LIMIT_MS);
    },
    compose,
    close: () => Promise.resolve(),
  };
}
