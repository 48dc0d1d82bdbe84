import { describe, expect, it } from '@jest/globals';
import { importLimits, type DomainImportAction, type DomainImportFormat } from '@pets/contracts';
import { ImportFault, parseImport, type ImportLine } from './parse-import.js';

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield await Promise.resolve(bytes.subarray(at, at + size));
}

/** Encodes a text in UTF-16 with a byte order mark. */
function inUtf16(text: string, order: 'little-endian' | 'big-endian'): Buffer {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return order === 'little-endian' ? bytes : bytes.swap16();
}

async function parse(
  text: string | Buffer,
  format: DomainImportFormat,
  { chunk = 65_536, action = 'add' }: { readonly chunk?: number; readonly action?: DomainImportAction } = {},
): Promise<ImportLine[]> {
  return Array.fromAsync(parseImport(inChunks(Buffer.from(text), chunk), { action, format }));
}

const namesOf = (lines: readonly ImportLine[]) => lines.map(({ name, fault }) => fault ?? name);

describe.each([1, 3, 65_536])('a file in chunks of %s bytes', (chunk) => {
  it.each<[string, DomainImportFormat, string, readonly string[]]>([
    [
      'names in JSON',
      'ndjson',
      '"a.com"\n{"name":"b.com","more":1}\r\n\n  {"name":"bücher.com"}',
      ['a.com', 'b.com', 'bücher.com'],
    ],
    ['CSV with other columns', 'csv', 'id, Name ,note\r\n1,a.com,x\r\n2,bücher.com,\r\n', ['a.com', 'bücher.com']],
    ['CSV with quotes', 'csv', 'name,note\n"a.com","x, ""y""\nz"\n"b.com",', ['a.com', 'b.com']],
    ['CSV with a byte order mark and empty lines', 'csv', '\ufeffname\n\na.com\n\n', ['a.com']],
    ['CSV with semicolons', 'csv', 'name;note\r\na.com;"x;y"\r\nb.com;1,5\r\n', ['a.com', 'b.com']],
    ['CSV with tabs', 'csv', '\n"note"\t"Name"\n1\ta.com\n', ['a.com']],
    ['CSV with a line that names the separator', 'csv', '\ufeffsep=;\r\nname;note\r\na.com;x,\r\n', ['a.com']],
    ['CSV with such a line in quotes', 'csv', '"Sep=;"\nname;note\na.com;x,\n', ['a.com']],
    ['CSV with another separator', 'csv', 'sep=|\nnote|name\nx|a.com\n', ['a.com']],
    ['CSV with a name alone', 'csv', 'name\na.com\n', ['a.com']],
    ['CSV without a name', 'csv', 'name,note\n,x\n', ['The line has no name.']],
    ['CSV with too few columns', 'csv', 'note,name\nx\n', ['The line has no name.']],
    ['no JSON', 'ndjson', 'a.com\n"b.com"\n', ['The line is not valid JSON.', 'b.com']],
    [
      'JSON without a name',
      'ndjson',
      '{"nam":"a"}\n5\nnull\n',
      Array<string>(3).fill('The line is not a string or an object with a name.'),
    ],
    [
      'text that cannot be stored',
      'ndjson',
      '"a\\u0000"\n"\\ud800"\n',
      Array<string>(2).fill('The name is not well-formed text.'),
    ],
  ])('may have %s', async (_what, format, text, expected) => {
    expect(namesOf(await parse(text, format, { chunk }))).toEqual(expected);
  });

  it.each(['little-endian', 'big-endian'] as const)('may be UTF-16, %s', async (order) => {
    const csv = inUtf16('name\tnote\r\nbücher.com\t\u{1f436}\r\n', order);
    expect(namesOf(await parse(csv, 'csv', { chunk }))).toEqual(['bücher.com']);
    expect(namesOf(await parse(inUtf16('"a.com"\r\n', order), 'ndjson', { chunk }))).toEqual(['a.com']);
  });

  it.each<[string, DomainImportFormat, string | Buffer, string]>([
    ['no column for the name', 'csv', 'domain\na.com\n', 'no column "name"'],
    ['an open quote', 'csv', 'name\n"a.com\n', 'Line 2 has a quote that is not closed'],
    ['a quote within a field', 'csv', 'name\na"b.com\n', 'Line 2 has a quote that is not doubled'],
    ['text after a quote', 'csv', 'name\n"a"b.com\n', 'Line 2 has a quote that is not doubled'],
    ['bytes that are no UTF-8', 'ndjson', Buffer.from([0x22, 0xff, 0x22]), 'not valid UTF-8'],
    ['a cut character of UTF-16', 'csv', inUtf16('name\na', 'big-endian').subarray(0, -1), 'not valid UTF-16BE'],
    ['half a byte order mark', 'csv', Buffer.from([0xff]), 'not valid UTF-8'],
    ['a cut character', 'ndjson', Buffer.from([0x22, 0xc3]), 'not valid UTF-8'],
    ['a long line', 'ndjson', `"a"\n"${'a'.repeat(importLimits.lineBytes)}"\n`, 'Line 2 has more than 4096 bytes'],
    ['a long last line', 'ndjson', 'a'.repeat(importLimits.lineBytes + 1), 'Line 1 has more than 4096 bytes'],
    ['a long record', 'csv', `name\n"${'\n'.repeat(importLimits.lineBytes)}`, 'Line 2 has more than 4096 bytes'],
  ])('is refused with %s', async (_what, format, text, message) => {
    await expect(parse(text, format, { chunk })).rejects.toThrow(
      expect.objectContaining({ constructor: ImportFault, message: expect.stringContaining(message) }),
    );
  });
});

describe('labels', () => {
  const gold = { name: 'a.com', externalId: 'c-1', metadata: { tier: 'gold' } };

  it.each<[DomainImportFormat, string]>([
    ['ndjson', `${JSON.stringify(gold)}\n{"name":"b.com"}\n`],
    ['csv', 'External_ID,name,metadata.tier,metadata.note\nc-1,a.com,gold,\n,b.com,,\n'],
  ])('of %s are read for an import, and not for a removal', async (format, text) => {
    expect(await parse(text, format)).toEqual([gold, { name: 'b.com' }]);
    expect(await parse(text, format, { action: 'remove' })).toEqual([{ name: 'a.com' }, { name: 'b.com' }]);
  });

  it.each<[DomainImportFormat, string, string]>([
    ['ndjson', '{"name":"a.com","externalId":5}', 'externalId: '],
    ['ndjson', `{"name":"a.com","externalId":"${'x'.repeat(256)}"}`, 'externalId: '],
    ['ndjson', '{"name":"a.com","metadata":{"tier":7}}', 'metadata: tier: '],
    ['ndjson', '{"name":"a.com","metadata":["gold"]}', 'metadata: '],
    ['csv', `name,metadata.tier\na.com,${'x'.repeat(513)}\n`, 'metadata: tier: must have at most 512 bytes'],
  ])('that are not valid refuse the line of %s', async (format, text, fault) => {
    expect(await parse(text, format)).toEqual([{ name: 'a.com', fault: expect.stringContaining(fault) }]);
  });

  it.each([
    ['name,metadata.a[b]\n', 'The columns of metadata'],
    [`name,${Array.from({ length: 17 }, (_, nth) => `metadata.k${nth}`).join()}\n`, 'at most 16 keys'],
  ])('in a header that is not valid refuse the file', async (text, message) => {
    await expect(parse(text, 'csv')).rejects.toThrow(message);
  });
});

it('an endless file is refused at its limits', async () => {
  async function* endless(text: string): AsyncGenerator<Buffer> {
    const chunk = Buffer.from(text);
    for (;;) yield await Promise.resolve(chunk);
  }
  const count = async (text: string, format: DomainImportFormat = 'ndjson') => {
    for await (const { name } of parseImport(endless(text), { action: 'add', format })) expect(name).toBe('a');
  };
  await expect(count('"a"\n'.repeat(1_000))).rejects.toThrow('more than 100000 lines');
  // Empty lines count.
  await expect(count('\n'.repeat(65_536))).rejects.toThrow('more than 100000 lines');
  await expect(count('\r\n'.repeat(65_536), 'csv')).rejects.toThrow('more than 100000 lines');
  await expect(count(`"a"${' '.repeat(1_000)}\n`)).rejects.toThrow('more than 33554432 bytes');
});
