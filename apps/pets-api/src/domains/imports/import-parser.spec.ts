import { afterEach, describe, expect, it } from '@jest/globals';
import { ImportParser, type ParsedPiece } from './import-parser.js';

const CHUNK = 65_536;

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);

  for (let at = 0; at < bytes.length; at += CHUNK) yield await Promise.resolve(bytes.subarray(at, at + CHUNK));
}

const csv = { action: 'add', format: 'csv' } as const;

describe('files of imports', () => {
  let parser = new ImportParser();
  afterEach(async () => {
    await parser.close();
    parser = new ImportParser();
  });

  it('are read in pieces, as JSON', async () => {
    const pieces = await Array.fromAsync(parser.parse(chunksOf('name\na.com\n\nb.com\nc.com'), csv, 2));
    expect(pieces).toEqual([
      { json: '[{"name":"a.com"},{"name":"b.com"}]', lines: 2 },
      { json: '[{"name":"c.com"}]', lines: 1 },
    ] satisfies ParsedPiece[]);
  });

  it('are refused with the fault of the file, and others go on', async () => {
    const read = (text: string) => Array.fromAsync(parser.parse(chunksOf(text), csv, 100));
    const [bad, good] = await Promise.allSettled([read('domain\na.com'), read('name\na.com')]);
    expect(bad).toMatchObject({
      reason: { code: 'invalid_import', message: expect.stringContaining('column "name"') },
    });
    expect(good).toMatchObject({ value: [{ lines: 1 }] });
  });

  it('take turns: a small one does not wait for large ones', async () => {
    const abandoned = new Error('abandoned');
    let isDone = false;
    const large = Array.from({ length: 5 }, async () => {
      const pieces = parser.parse(chunksOf(`name\n${`"${'a'.repeat(3_000)}"\n`.repeat(2_000)}`), csv, 100);
      for await (const piece of pieces) if (isDone && piece.lines > 0) throw abandoned;
    });
    const results = Promise.allSettled(large);
    await Array.fromAsync(parser.parse(chunksOf('name\na.com'), csv, 100));
    isDone = true;
    expect(await results).toEqual(Array(5).fill({ status: 'rejected', reason: abandoned }));
  });
});
