import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';

/**
 * Schemas of each app's configuration, and further files with some of its settings. Imported by path: only a check of
 * everything may look into every app.
 */
const schemas = {
  'pets-api': {
    ...{ folder: 'apps/pets-api', file: 'platform/config', name: 'configSchema' },
    parts: ['platform/retention-settings', 'platform/sign-in-settings'],
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

/** Settings that reach a pod from a secret: as files, but for the one of the identity provider, which is optional. */
export const secretSettings: readonly string[] = [
  'ACME_ACCOUNT_KEY',
  'ACME_DNS_TSIG_KEY',
  'ACME_EAB',
  'APP_SECRET',
  'AWS_SECRET_ACCESS_KEY',
  'CERTIFICATE_KEKS',
  'DATABASE_SESSION_URL',
  'DATABASE_URL',
  'EDGE_TOKEN',
  'GATEWAY_TOKEN',
  'OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'PLATFORM_CERTIFICATE',
  'PLATFORM_KEY',
  'QUEUE_KEYS_EVENTS',
  'QUEUE_KEYS_JOBS',
  'REDIS_URL',
];

/** Contents of the comment above a setting. */
interface SettingComment {
  readonly text: string;
  /** Value of its tag `@defaultValue`, where the schema has no default, or one that depends on the machine. */
  readonly defaultValue?: string;
}

/** The comments directly above the settings of a configuration's source, by the name of the setting. */
function readSettingComments(source: string): ReadonlyMap<string, SettingComment> {
  const commented = source.matchAll(/\/\*\*((?:(?!\*\/)[^])*)\*\/\s*([A-Z][A-Z0-9_]+): /g);
  return new Map([...commented].map(([, comment = '', name = '']) => [name, parseComment(comment)]));
}

function parseComment(comment: string): SettingComment {
  const lines = comment.replaceAll(/\n *\* ?/g, ' ').trim();
  const [text = '', defaultValue] = lines.split(' @defaultValue ');
  return defaultValue === undefined ? { text } : { text, defaultValue };
}
