/** `npm run settings`: writes the tables of docs/operations/settings.md, from the built configuration of the apps. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.js';
import { readAppSettings } from './app-settings.js';
import { renderSettingsPage, SETTINGS_PAGE } from './settings-page.js';

const path = join(REPOSITORY, SETTINGS_PAGE);
await writeFile(path, renderSettingsPage(await readFile(path, 'utf8'), await readAppSettings('dist')));
