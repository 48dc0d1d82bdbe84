import { readFile, writeFile } from 'node:fs/promises';
import { CLIENT_SCHEMA, INTERFACE_DESCRIPTION, schemaSource } from './schema-source.js';

/** Writes the types of `libs/client` from the committed interface description: the second half of `npm run openapi`. */
await writeFile(CLIENT_SCHEMA, await schemaSource(await readFile(INTERFACE_DESCRIPTION, 'utf8')));
