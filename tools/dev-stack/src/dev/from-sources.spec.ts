import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { syntaxError } from './from-sources.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pets-syntax-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('says in one line where a syntax error is', () => {
  const file = join(folder, 'broken.ts');
  writeFileSync(file, 'const fine = 1;\nconst broken = (;\n');
  expect(syntaxError(file)).toMatch(new RegExp(`^${file}:2:\\d+ [A-Z].*$`));
});

it('has nothing to say of a correct file, or of one that was deleted', () => {
  const file = join(folder, 'fine.ts');
  writeFileSync(file, 'const fine: number = 1;\n');
  expect(syntaxError(file)).toBeNull();
  expect(syntaxError(join(folder, 'deleted.ts'))).toBeNull();
});
