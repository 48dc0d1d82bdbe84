import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import { CLIENT_SCHEMA, INTERFACE_DESCRIPTION, schemaSource } from '../src/client-schema/schema-source.js';

it('the types of the client are those of the committed interface description: else run npm run generate', async () => {
  const source = await schemaSource(await readFile(INTERFACE_DESCRIPTION, 'utf8'));
  expect(source).toBe(await readFile(CLIENT_SCHEMA, 'utf8'));
});
