/**
 * `npm run compose-check`: builds the images, brings docker-compose.yml up with its development profile beside whatever
 * runs on this machine, and runs the complete scenario through the published ports. Each step prints its result; the first
 * one that fails ends the check with exit code 1. Only the layers of the images stay.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { repositoryRoot } from '@pets/dev-stack';
import { loadConfigOrExit } from '@pets/platform';
import type { Engine } from './engine.js';
import { openEngine } from './open-engine.js';
import { checkLifecycle } from './lifecycle.js';
import { environmentFileIn, openProject } from './project.js';
import { commandEnvironment, settingsSchema } from './settings.js';
import { checkStoresElsewhere } from './stores-elsewhere.js';

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
