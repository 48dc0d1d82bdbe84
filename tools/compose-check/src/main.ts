/**
 * `npm run compose-check`: builds the images, brings docker-compose.yml up with its development profile beside whatever
 * runs on this machine, and runs the complete scenario through the published ports. Each step prints its result; the first
 * one that fails ends the check with exit code 1. Only the layers of the images stay.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '@pets/testing/processes';
import { loadConfigOrExit } from '@pets/platform';
import { z } from 'zod';
import { runCommand, succeeds, type ComposeOptions, type Engine, type EngineEnvironment } from './engine.js';
import { checkLifecycle } from './lifecycle.js';
import { INSTALL_HINT, openPodman } from './podman.js';
import { environmentFileIn, openProject } from './project.js';
import { checkStoresElsewhere } from './stores-elsewhere.js';

const LOOK_LIMIT_MS = 10_000;
const BUILD_LIMIT_MS = 30 * 60_000;

/**
 * Opens the engine that runs containers here. Docker with its compose plugin is taken where its daemon answers; else
 * Podman, behind the interface of Docker that it offers, with docker-compose as the client.
 * @throws Error where there is neither, saying what to install
 */
async function openEngine(environment: EngineEnvironment): Promise<Engine> {
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

/** Variables that are taken from our own environment: where programs are, and how Docker is reached. */
const settingsSchema = z.object({
  PATH: z.string(),
  HOME: z.string().optional(),
  XDG_RUNTIME_DIR: z.string().optional(),
  DOCKER_HOST: z.string().optional(),
  DOCKER_CONFIG: z.string().optional(),
  DOCKER_CONTEXT: z.string().optional(),
  /** Set by npm while it runs a script: where it is itself. */
  npm_execpath: z.string(),
});

type Settings = z.infer<typeof settingsSchema>;

/** The stack's settings are not those of our own shell: a command gets what it needs to run, and nothing else. */
function commandEnvironment(settings: Settings): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).filter(
      (entry): entry is [string, string] => entry[0] !== 'npm_execpath' && entry[1] !== undefined,
    ),
  );
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`${line}\n`);

// Commands in our process group get the signal too and fail, and so the check ends by its own way and cleans up.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => complain(`${signal}: cleaning up`));

const settings = loadConfigOrExit(settingsSchema);
const scratch = await mkdtemp(join(tmpdir(), 'pets-compose-check-'));
try {
  const engine = await openEngine({
    repositoryRoot,
    env: commandEnvironment(settings),
    npmCli: settings.npm_execpath,
    scratch,
    say,
  });
  try {
    say(`with ${engine.name}`);
    await checkWith(engine);
  } finally {
    await engine.close();
  }
  say('\nEvery step held.');
} catch (error) {
  complain(`\ncompose-check failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function checkWith(engine: Engine): Promise<void> {
  const environmentFile = environmentFileIn(scratch);
  const project = await openProject(engine, environmentFile);
  await engine.buildImages(environmentFile);
  try {
    await checkLifecycle({ project, repositoryRoot, say });
  } catch (error) {
    complain(await project.logs().catch(() => 'the services’ logs cannot be had'));
    throw error;
  } finally {
    await project.erase();
  }
  await checkStoresElsewhere({ engine, repositoryRoot, folder: await mkdtemp(join(scratch, 'elsewhere-')), say });
}
