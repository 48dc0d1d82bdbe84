import { readFile, writeFile } from 'node:fs/promises';
import { API_DOCS_PATH, makeRegions } from './api-docs.js';
import { startApiFixture } from './api-fixture.js';
import { fillRegions } from './regions.js';

/** `npm run api-docs`: runs every transcript of docs/api.md again, against a pets-api of its own. */
const text = await readFile(API_DOCS_PATH, 'utf8');
const fixture = await startApiFixture();
try {
  await writeFile(API_DOCS_PATH, fillRegions(text, await makeRegions(fixture)));
} finally {
  await fixture.close();
}
