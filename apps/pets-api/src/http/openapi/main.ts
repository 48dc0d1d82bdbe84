import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeApi, exampleServers } from './document.js';

/** Writes the interface description to `docs/openapi.json`: `npm run openapi`. */
const path = join(import.meta.dirname, '../../../../../docs/openapi.json');
await writeFile(path, JSON.stringify(describeApi(exampleServers), null, 2) + '\n');
