import { readFile, writeFile } from 'node:fs/promises';
import { API_DOCS_PATHS, makeRegions } from './api-docs.js';
import { startApiFixture } from './api-fixture.js';
import { fillRegions } from './regions.js';

/** `npm run api-docs`: runs every transcript of docs/api.md and docs/errors.md again, against a pets-api of its own. */
const fixture = await startApiFixture();
try {
  const made = await makeRegions(fixture);
  for (const path of API_DOCS_PATHS) await writeFile(path, fillRegions(await readFile(path, 'utf8'), made));
} finally {
  await fixture.close();
}
