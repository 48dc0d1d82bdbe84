import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../src/repository.js';
import { readAppSettings } from '../src/settings/app-settings.js';
import { renderSettingsPage, SETTINGS_PAGE } from '../src/settings/settings-page.js';

const page = readFileSync(join(REPOSITORY, SETTINGS_PAGE), 'utf8');

describe('the page of settings', () => {
  it('explains each setting, by the comment above it', async () => {
    const unexplained = (await readAppSettings('src')).flatMap(({ schema, comments }) =>
      Object.keys(schema.shape).filter((name) => !comments.get(name)?.text),
    );
    expect(unexplained).toEqual([]);
  });

  it('is what `npm run generate` writes', async () => {
    expect(page).toBe(renderSettingsPage(page, await readAppSettings('src')));
  });
});
