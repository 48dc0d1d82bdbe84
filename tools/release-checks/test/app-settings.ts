import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../src/repository.js';

/** What each app reads its configuration with. Imported by path: only a check of everything may look into every app. */
const schemas = {
  'pets-api': ['apps/pets-api/src/platform/config.ts', 'configSchema'],
  'domains-worker': ['apps/domains-worker/src/config.ts', 'configSchema'],
  edge: ['apps/edge/src/config.ts', 'edgeConfigSchema'],
} as const;
export type App = keyof typeof schemas;

export const apps = Object.keys(schemas) as readonly App[];

export async function configurationOf(app: App): Promise<z.ZodObject> {
  const [file, name] = schemas[app];
  const exported = (await import(join(REPOSITORY, file))) as Record<string, unknown>;
  return z.instanceof(z.ZodObject).parse(exported[name]);
}

/** Read by libraries of ours and not by our configuration: where the clients of AWS find who they are. */
export const variablesOfLibraries: readonly string[] = ['AWS_SHARED_CREDENTIALS_FILE'];
