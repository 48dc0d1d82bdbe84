import { afterEach, expect, it } from '@jest/globals';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { describeWhen } from './skipped-suites.js';

const note = resolve(import.meta.dirname, '../../../test-results/skipped/a-suite-of-the-spec.txt');
afterEach(() => rmSync(note, { force: true }));

it('runs a suite that has what it needs, and notes one that does not by name and reason', () => {
  const seen: string[] = [];
  const describe = Object.assign((name: string) => void seen.push(`ran ${name}`), {
    skip: (name: string) => void seen.push(`skipped ${name}`),
  });
  describeWhen(describe, 'a suite of the spec', null, () => undefined);
  expect(existsSync(note)).toBe(false);
  describeWhen(describe, 'a suite of the spec', 'nothing is installed', () => undefined);
  expect(readFileSync(note, 'utf8')).toBe('a suite of the spec: nothing is installed\n');
  expect(seen).toEqual(['ran a suite of the spec', 'skipped a suite of the spec']);
});
