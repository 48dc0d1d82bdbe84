import { describe, expect, it } from '@jest/globals';
import { table } from './table.js';

const headings = ['TYPE', 'NAME', 'VALUE', 'FOR'];
const rows = [
  ['CNAME', 'docs', '7d0cafb443a0.cname.example', 'routing'],
  ['CNAME', '_acme-challenge.docs', 'f25d.acme.example', 'delegation (optional)'],
  ['TXT', '_platform-challenge.docs', '', ''],
];

describe('table', () => {
  it('aligns columns without trailing blanks', () => {
    expect(table(['TYPE', 'NAME', 'VALUE'], [rows[1] ?? [], rows[2] ?? []])).toBe(
      [
        'TYPE   NAME                      VALUE',
        'CNAME  _acme-challenge.docs      f25d.acme.example',
        'TXT    _platform-challenge.docs',
      ].join('\n'),
    );
  });

  it('is empty without rows', () => expect(table(['NAME'], [], 80)).toBe(''));

  it('does not change where it fits', () => expect(table(headings, rows, 84)).toBe(table(headings, rows)));

  it('breaks lines at spaces in a narrower terminal', () => {
    expect(table(headings, rows, 75)).toBe(
      [
        'TYPE   NAME                      VALUE                       FOR',
        'CNAME  docs                      7d0cafb443a0.cname.example  routing',
        'CNAME  _acme-challenge.docs      f25d.acme.example           delegation',
        '                                                             (optional)',
        'TXT    _platform-challenge.docs',
      ].join('\n'),
    );
  });

  it('becomes one block for each row where no column can give', () => {
    expect(table(headings, rows, 60)).toBe(
      [
        'TYPE   CNAME',
        'NAME   docs',
        'VALUE  7d0cafb443a0.cname.example',
        'FOR    routing',
        '',
        'TYPE   CNAME',
        'NAME   _acme-challenge.docs',
        'VALUE  f25d.acme.example',
        'FOR    delegation (optional)',
        '',
        'TYPE   TXT',
        'NAME   _platform-challenge.docs',
      ].join('\n'),
    );
  });

  describe('with a long column', () => {
    const target = '52487ee778665de96478711c3b144b4099bf9b1f.cname.pets.example';
    const records = [['CNAME', 'docs', target, 'routing'], ...rows.slice(1)];

    it('puts its cells below their rows where they are too long', () => {
      expect(table(headings, records, 80, 'VALUE')).toBe(
        [
          'TYPE   NAME                      FOR',
          '       VALUE',
          'CNAME  docs                      routing',
          `       ${target}`,
          'CNAME  _acme-challenge.docs      delegation (optional)',
          '       f25d.acme.example',
          'TXT    _platform-challenge.docs',
        ].join('\n'),
      );
    });

    it('does not change where it fits', () =>
      expect(table(headings, records, 120, 'VALUE')).toBe(table(headings, records)));

    it('indents them less where the terminal is as narrow as they are', () =>
      expect(table(headings, records, 61, 'VALUE')).toContain(`\n  ${target}\n`));

    it('becomes blocks where the other columns do not fit either', () =>
      expect(table(headings, records, 30, 'VALUE')).toBe(table(headings, records, 30)));
  });

  it.each(Array.from({ length: 120 }, (_each, index) => index + 1))(
    'of any width has every word, and no longer line than the width unless it is a block: %i',
    (width) => {
      const shown = table(headings, rows, width);
      const words = rows.flat().flatMap((cell) => cell.split(' '));
      for (const word of words) expect(shown).toContain(word);
      if (shown.startsWith('TYPE   NAME'))
        expect(Math.max(...shown.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
    },
  );

  it.each([
    ['wide characters', '例え.example', 'abcdefgh.com'],
    ['combining characters', 'e\u0301.example', 'e.example'],
  ])('aligns columns beside %s', (_name, text, alike) => {
    const [, first = '', second = ''] = table(
      ['NAME', 'STATE'],
      [
        [text, 'live'],
        [alike, 'live'],
      ],
    ).split('\n');
    expect(first.endsWith('  live')).toBe(true);
    expect(second).toBe(`${alike}  live`);
  });
});
