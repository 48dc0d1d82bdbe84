import { describe, expect, it } from '@jest/globals';
import { code, codeBlock, fillRegions, table } from './markdown.js';

describe('a table', () => {
  it('is laid out as Prettier does', () => {
    expect(table([{ title: 'a' }, { title: 'number', isNumber: true }], [['longer', '1']])).toBe(
      ['| a      | number |', '| ------ | -----: |', '| longer |      1 |'].join('\n'),
    );
  });

  it('keeps a stroke in a cell', () => {
    expect(table([{ title: 'a' }], [['x|y']])).toContain('| x\\|y |');
  });
});

describe('text of others', () => {
  it('cannot end its code', () => {
    expect(code('a `b`\nc')).toBe("`a 'b' c`");
    expect(codeBlock(['```', 'x'])).toBe('````\n```\nx\n````');
  });
});

describe('regions', () => {
  it('are filled, whatever they held', () => {
    const page = 'a\n<!-- begin x -->\nold\n<!-- end x -->\nb\n';
    expect(fillRegions(page, (name) => `new ${name} $1\n`)).toBe(
      'a\n<!-- begin x -->\n\nnew x $1\n\n<!-- end x -->\nb\n',
    );
  });
});
