import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';
import { readSettingComments, type SettingComment } from './setting-comments.js';

/**
 * What each app reads its configuration with, and further files with some of its settings. Imported by path: only a check of
 * everything may look into every app.
 */
const schemas = {
  'pets-api': {
    ...{ folder: 'apps/pets-api', file: 'platform/config', name: 'configSchema' },
    parts: ['platform/public-addresses-setting', 'platform/retention-settings', 'platform/sign-in-settings'],
  },
  'domains-worker': { folder: 'apps/domains-worker', file: 'config', name: 'configSchema', parts: [] },
  edge: { folder: 'apps/edge', file: 'platform/config', name: 'edgeConfigSchema', parts: [] },
} as const;
export type App = keyof typeof schemas;

export const apps = Object.keys(schemas) as readonly App[];

/** From the source, which the transform of the tests reads, or from its build. */
export async function configurationOf(app: App, from: 'src' | 'dist' = 'src'): Promise<z.ZodObject> {
  const { folder, file, name } = schemas[app];
  const path = join(REPOSITORY, folder, from, `${file}.${from === 'src' ? 'ts' : 'js'}`);
  const exported = (await import(path)) as Record<string, unknown>;
  return z.instanceof(z.ZodObject).parse(exported[name]);
}

export interface AppSettings {
  readonly app: App;
  readonly schema: z.ZodObject;
  readonly comments: ReadonlyMap<string, SettingComment>;
}

/** The settings of each app, and the comments above them. */
export async function readAppSettings(from: 'src' | 'dist'): Promise<readonly AppSettings[]> {
  const settings = apps.map(async (app) => {
    const { folder, file, parts } = schemas[app];
    const sources = [file, ...parts].map((each) => readFileSync(join(REPOSITORY, folder, 'src', `${each}.ts`), 'utf8'));
    return { app, schema: await configurationOf(app, from), comments: readSettingComments(sources.join('\n')) };
  });
  return Promise.all(settings);
}

/** Read by libraries and by Node, not by our configuration: who a client of AWS is, and which CAs are trusted. */
export const variablesOfLibraries: readonly string[] = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_REGION',
  'AWS_SHARED_CREDENTIALS_FILE',
  'NODE_EXTRA_CA_CERTS',
];
