import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DevFile } from '@pets/dev-stack';
import { sharedTestStack, startTestStack, type SharedTestStack } from '@pets/lab';
import { Pets } from './run-pets.js';

const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };

/** A running stack, and the command for a project on it. */
export interface PetsStack {
  /** For files of a test. */
  readonly folder: string;
  readonly stack: { readonly dev: DevFile };
  readonly pets: Pets;
  stop(): Promise<void>;
}

/** The stack that test files share, with a project for the caller. */
export async function openPetsStack(): Promise<PetsStack & { readonly stack: SharedTestStack }> {
  const stack = await sharedTestStack(inherited);
  const folder = await createFolder();
  return { folder, stack, pets: petsOf(stack.dev, folder), stop: () => removeFolder(folder) };
}

/**
 * A stack of its own.
 * @param env settings of the stack, with their defaults otherwise
 */
export async function startPetsStack(env: Readonly<Record<string, string>>): Promise<PetsStack> {
  const folder = await createFolder();
  const stack = await startTestStack({ dataDir: join(folder, 'stack'), env: { ...inherited, ...env } });
  const stop = async () => {
    await stack.stop();
    await removeFolder(folder);
  };
  return { folder, stack, pets: petsOf(stack.dev, folder), stop };
}

function petsOf({ apiUrl, apiKey, projectId }: DevFile, folder: string): Pets {
  return new Pets({ HOME: folder, PETS_API_URL: apiUrl, PETS_API_KEY: apiKey, PETS_PROJECT: projectId });
}

const createFolder = () => mkdtemp(join(tmpdir(), 'pets-cli-'));
const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true });
