import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStack, type RunningStack } from '@pets/testing';
import { Pets } from './run-pets.js';

/** A stack of its own, and the command for its seeded project. */
export interface PetsStack {
  /** For files of a test. */
  readonly folder: string;
  readonly stack: RunningStack;
  readonly pets: Pets;
  stop(): Promise<void>;
}

/** @param env settings of the stack, with their defaults otherwise */
export async function startPetsStack(env: Readonly<Record<string, string>> = {}): Promise<PetsStack> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-cli-'));
  const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  const stack = await startTestStack({ dataDir: join(folder, 'stack'), env: { ...inherited, ...env } });
  const { apiUrl, apiKey, projectId } = stack.dev;
  return {
    folder,
    stack,
    pets: new Pets({ HOME: folder, PETS_API_URL: apiUrl, PETS_API_KEY: apiKey, PETS_PROJECT: projectId }),
    stop: async () => {
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
