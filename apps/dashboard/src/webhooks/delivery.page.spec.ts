import { expect, it } from '@jest/globals';
import { formatJson } from './delivery.page.js';

it.each([['{}'], ['[]'], ['"a"'], ['12'], ['{"a":{"b":[1,2,{"c":null}],"d":"x, {y}: \\"z\\" [ ]"},"e":[],"f":{}}']])(
  'indents %s as JSON.stringify does',
  (text) => {
    expect(formatJson(text)).toBe(JSON.stringify(JSON.parse(text), null, 2));
    expect(formatJson(JSON.stringify(JSON.parse(text), null, 4))).toBe(formatJson(text));
  },
);

it('keeps every digit', () => {
  expect(formatJson('{"id":9223372036854775807}')).toBe('{\n  "id": 9223372036854775807\n}');
});

it('leaves what is no JSON', () => {
  expect(formatJson('{"a":')).toBe('{"a":');
});
