/**
 * `npm run settings`: writes the tables of docs/operations/settings.md and the names in the chart's schema of values, from
 * the built configuration of the apps.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.js';
import {
  readAppSettings,
  renderSettingsPage,
  renderValuesSchema,
  SETTINGS_PAGE,
  VALUES_SCHEMA,
} from './app-settings.js';

const settings = await readAppSettings('dist');
await rewrite(SETTINGS_PAGE, (page) => renderSettingsPage(page, settings));
await rewrite(VALUES_SCHEMA, (schema) => renderValuesSchema(schema, settings));

async function rewrite(file: string, render: (text: string) => string): Promise<void> {
  const path = join(REPOSITORY, file);
  await writeFile(path, render(await readFile(path, 'utf8')));
}
