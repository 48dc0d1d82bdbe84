import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { errorStatus } from '@pets/contracts';
import { API_DOCS_PATHS, documentedCodes, makeRegions } from '../src/api-docs/api-docs.js';
import { startApiFixture, type ApiFixture } from '../src/api-docs/api-fixture.js';
import { fillRegions, regionsOf } from '../src/api-docs/regions.js';

jest.setTimeout(180_000);

let text: string;
let fixture: ApiFixture;

beforeAll(async () => {
  text = (await Promise.all(API_DOCS_PATHS.map((path) => readFile(path, 'utf8')))).join('\n');
  fixture = await startApiFixture();
});
afterAll(() => fixture?.close());

describe('docs/api.md and docs/errors.md', () => {
  it('show each error once, in the order of the list', () => {
    expect(documentedCodes(text)).toEqual(Object.keys(errorStatus));
  });

  it('say what the API really answers: else run npm run generate', async () => {
    const made = await makeRegions(fixture);
    expect(regionsOf(text).sort()).toEqual([...made.keys()].sort());
    expect(fillRegions(text, made)).toBe(text);
  });
});
