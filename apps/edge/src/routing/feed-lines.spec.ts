import { describe, expect, it } from '@jest/globals';
import { FeedError, parseFeed } from './feed-lines.js';

const beat = (version: number) => JSON.stringify({ kind: 'heartbeat', version });

async function versionsOf(...chunks: readonly (string | Uint8Array)[]): Promise<number[]> {
  async function* stream() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  }
  const versions: number[] = [];
  for await (const message of parseFeed(stream(), 200)) versions.push(message.version);
  return versions;
}

describe('parseFeed', () => {
  it.each([
    ['a line a chunk', [`${beat(1)}\n`, `${beat(2)}\n`], [1, 2]],
    ['two lines in a chunk', [`${beat(1)}\n${beat(2)}\n`], [1, 2]],
    ['a line over three chunks', ['{"kind":"hea', 'rtbeat","ver', 'sion":7}\n'], [7]],
    ['empty lines', [`\n\n${beat(1)}\r\n\n`], [1]],
    ['a line that never ends', [`${beat(1)}\n{"kind":`], [1]],
  ])('reads %s', async (_name, chunks, versions) => expect(await versionsOf(...chunks)).toEqual(versions));

  it('keeps a character together that two chunks share', async () => {
    const line = Buffer.from(`{"kind":"heartbeat","version":3,"note":"é"}\n`);
    const middle = line.indexOf(0xa9);
    expect(await versionsOf(line.subarray(0, middle), line.subarray(middle))).toEqual([3]);
  });

  it.each([
    ['what is not JSON', 'oops\n'],
    ['another kind', '{"kind":"surprise","version":1}\n'],
    ['a version that is no integer', '{"kind":"heartbeat","version":"1"}\n'],
    ['a line without an end', 'x'.repeat(201)],
  ])('refuses %s', async (_name, text) => {
    await expect(versionsOf(text)).rejects.toThrow(FeedError);
  });
});
