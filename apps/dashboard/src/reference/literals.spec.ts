import { describe, expect, it } from '@jest/globals';
import { pythonLiteral, typescriptLiteral } from './literals.js';

const value = { 'a-b': "it's", list: [1, true, null], empty: {} };

describe('literals', () => {
  it('are TypeScript', () =>
    expect(typescriptLiteral(value)).toBe(String.raw`{ 'a-b': 'it\'s', list: [1, true, null], empty: {} }`));

  it('are Python', () => expect(pythonLiteral(value)).toBe(`{"a-b": "it's", "list": [1, True, None], "empty": {}}`));

  it('are broken into lines where they are long', () =>
    expect(typescriptLiteral({ name: 'x'.repeat(70), b: { c: 1 } }, '  ')).toBe(
      `{\n    name: '${'x'.repeat(70)}',\n    b: { c: 1 },\n  }`,
    ));

  it('keep quotes and escapes of TypeScript valid', () =>
    expect(typescriptLiteral('a "b" \\ c\nd')).toBe(String.raw`'a "b" \\ c\nd'`));
});
