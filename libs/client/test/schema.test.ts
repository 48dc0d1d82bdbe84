import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { schemaSource } from '../src/generate/schema-source.js';

const project = join(import.meta.dirname, '..');

it('the types are those of the committed interface description: else run npm run openapi', async () => {
  const description = await readFile(join(project, '../../docs/openapi.json'), 'utf8');
  const committed = await readFile(join(project, 'src/schema.ts'), 'utf8');
  expect(await schemaSource(description)).toBe(committed);
});
