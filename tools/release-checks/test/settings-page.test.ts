import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../src/repository.js';
import {
  readAppSettings,
  renderSettingsPage,
  renderValuesSchema,
  SETTINGS_PAGE,
  VALUES_SCHEMA,
} from '../src/settings/app-settings.js';

const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

describe('the page of settings', () => {
  it('explains each setting, by the comment above it', async () => {
    const unexplained = (await readAppSettings('src')).flatMap(({ schema, comments }) =>
      Object.keys(schema.shape).filter((name) => !comments.get(name)?.text),
    );
    expect(unexplained).toEqual([]);
  });

  it('is what `npm run generate` writes', async () => {
    const page = read(SETTINGS_PAGE);
    expect(page).toBe(renderSettingsPage(page, await readAppSettings('src')));
  });
});

describe('the schema of the values of the Helm chart', () => {
  it('has the settings that `npm run generate` writes', async () => {
    const schema = read(VALUES_SCHEMA);
    expect(schema).toBe(renderValuesSchema(schema, await readAppSettings('src')));
  });
});
