import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { REPOSITORY } from '../repository.js';
import { apps, configurationOf, secretSettings, variablesOfLibraries, type App } from '../settings/app-settings.js';

/** The alert rules and the dashboards. */
const OBSERVABILITY = 'deploy/observability';
/** A chart reads no file outside of its folder, so it has copies of them. */
const CHART = 'deploy/helm';
const SCHEMA = `${CHART}/values.schema.json`;

const definitionOf: Readonly<Record<App, string>> = {
  'pets-api': 'petsApiConfig',
  'domains-worker': 'domainsWorkerConfig',
  edge: 'edgeConfig',
};
const definitionSchema = z.looseObject({ required: z.array(z.string()).default([]) });
const schemaSchema = z.looseObject({ definitions: z.record(z.string(), z.looseObject({})) });

const read = (path: string) => readFile(join(REPOSITORY, path), 'utf8');

/** Files of `deploy` that others are the source of, by their path from the root. `npm run manifests` writes them. */
export async function deriveFiles(from: 'src' | 'dist'): Promise<ReadonlyMap<string, string>> {
  const alerts = await read(`${OBSERVABILITY}/alerts.yml`);
  const dashboards = (await readdir(join(REPOSITORY, OBSERVABILITY))).filter((name) => name.endsWith('.json'));
  const copies = dashboards.map(
    async (name) => [`${CHART}/files/dashboards/${name}`, await read(`${OBSERVABILITY}/${name}`)] as const,
  );
  return new Map([
    [`${OBSERVABILITY}/prometheus-rule.yaml`, asPrometheusRule(alerts)],
    [`${CHART}/files/alerts.yml`, alerts],
    ...(await Promise.all(copies)),
    [SCHEMA, await withSettings(await read(SCHEMA), from)],
  ]);
}

/** Kustomize cannot put a file into an object, so the object is a file too. */
function asPrometheusRule(alerts: string): string {
  const header = [
    '# Written by "npm run manifests" from alerts.yml. Do not edit.',
    'apiVersion: monitoring.coreos.com/v1',
    'kind: PrometheusRule',
    'metadata: { name: pets }',
    'spec:',
  ];
  return `${header.join('\n')}\n${alerts.replaceAll(/^(?=.)/gm, '  ')}`;
}

/** The schema with the settings that each `config` may have: a misspelt one is refused, and so is a secret. */
async function withSettings(text: string, from: 'src' | 'dist'): Promise<string> {
  const schema = schemaSchema.parse(JSON.parse(text));
  for (const app of apps) {
    const { required, ...definition } = definitionSchema.parse(schema.definitions[definitionOf[app]]);
    const { shape } = await configurationOf(app, from);
    const names = [...Object.keys(shape), ...variablesOfLibraries].filter((name) => !secretSettings.includes(name));
    const properties = names.sort().map((name) => {
      return [name, required.includes(name) ? { type: 'string', minLength: 1 } : { $ref: '#/definitions/setting' }];
    });
    schema.definitions[definitionOf[app]] = { ...definition, required, properties: Object.fromEntries(properties) };
  }
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const folders = ['deploy/kubernetes', OBSERVABILITY];
/** Alerts are tested, not rendered; the rule that is rendered has them. */
const isRendered = (path: string) => !/\/alerts[\w.-]*\.yml$/.test(path);

/** SHA-256 over the names and texts of all files that manifests are rendered from, in hex. */
async function digestOfSources(): Promise<string> {
  const digest = createHash('sha256');
  for (const folder of folders) {
    const entries = await readdir(join(REPOSITORY, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.filter(isRendered).sort()) {
      digest.update(JSON.stringify([file.slice(REPOSITORY.length), await readFile(file, 'utf8')]));
    }
  }
  return digest.digest('hex');
}

/** The first line of a rendering: what it was made from. */
export async function sourcesLine(): Promise<string> {
  return `# Rendered by "npm run manifests" from sources with SHA-256 ${await digestOfSources()}.\n`;
}
