import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { pages } from '../src/pages/pages.js';
import { REPOSITORY } from '../src/repository.js';

it.each(Object.entries(pages))('%s is what `npm run generate` makes of the code', (path, render) => {
  expect(readFileSync(join(REPOSITORY, path), 'utf8')).toBe(render());
});
