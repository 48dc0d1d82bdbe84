import { z } from 'zod';
import { secretSettings, variablesOfLibraries, type App, type AppSettings } from './app-settings.js';

/** The schema of the chart's values, from the root of the repository. */
export const VALUES_SCHEMA = 'deploy/helm/values.schema.json';

const definitionOf: Readonly<Record<App, string>> = {
  'pets-api': 'petsApiConfig',
  'domains-worker': 'domainsWorkerConfig',
  edge: 'edgeConfig',
};
const definitionSchema = z.looseObject({ required: z.array(z.string()).default([]) });
const schemaSchema = z.looseObject({ definitions: z.record(z.string(), z.looseObject({})) });

/** The schema with the settings that each `config` may have: a misspelt one is refused, and so is a secret. */
export function renderValuesSchema(text: string, settings: readonly AppSettings[]): string {
  const values = schemaSchema.parse(JSON.parse(text));
  for (const { app, schema } of settings) {
    const { required, ...definition } = definitionSchema.parse(values.definitions[definitionOf[app]]);
    const all = [...Object.keys(schema.shape), ...variablesOfLibraries];
    const names = all.filter((name) => !secretSettings.includes(name)).sort();
    const properties = names.map((name) => {
      return [name, required.includes(name) ? { type: 'string', minLength: 1 } : { $ref: '#/definitions/setting' }];
    });
    values.definitions[definitionOf[app]] = { ...definition, required, properties: Object.fromEntries(properties) };
  }
  return `${JSON.stringify(values, null, 2)}\n`;
}
