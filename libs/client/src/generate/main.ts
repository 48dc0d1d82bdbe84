import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { schemaSource } from './schema-source.js';

/** Writes `schema.ts` from the committed interface description: the second half of `npm run openapi`. */
const project = join(import.meta.dirname, '../..');
const description = await readFile(join(project, '../../docs/openapi.json'), 'utf8');
await writeFile(join(project, 'src/schema.ts'), await schemaSource(description));
