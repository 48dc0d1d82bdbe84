import { edgeFeedMessageSchema, type EdgeFeedMessage } from '@pets/contracts';

/** The stream is not usable any more; the edge connects again. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
}

/** Enough for a table of a million hosts; limits the memory for a stream without line ends. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

/**
 * Splits a stream into lines (NDJSON) and parses each with the schema of the wire.
 * @throws FeedError at the first line that is not a valid message
 */
export async function* parseFeed(
  chunks: AsyncIterable<Uint8Array>,
  maxLineBytes = MAX_LINE_BYTES,
): AsyncGenerator<EdgeFeedMessage, void, undefined> {
  let pieces: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString();
      pieces = [];
      pendingBytes = 0;
      start = end + 1;
      if (line.trim() !== '') yield parseLine(line);
    }
    pieces.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > maxLineBytes) throw new FeedError(`a line is longer than ${maxLineBytes} bytes`);
  }
}

function parseLine(line: string): EdgeFeedMessage {
  const parsed = edgeFeedMessageSchema.safeParse(parseJson(line));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new FeedError(`a line is not a feed message (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new FeedError('a line is not JSON');
  }
}
