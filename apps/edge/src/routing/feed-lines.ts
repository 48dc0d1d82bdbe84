import { edgeFeedMessageSchema, type EdgeFeedMessage } from '@pets/contracts';

/** The stream cannot be trusted any more; the connection ends and is made anew. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
}

/** A whole table of a million hosts fits; a stream without line ends must not fill the memory. */
const LONGEST_LINE_BYTES = 256 * 1024 * 1024;

/**
 * Splits a stream into lines (NDJSON) and parses each with the schema of the wire.
 * @throws FeedError at the first line that is not a message
 */
export async function* parseFeed(
  chunks: AsyncIterable<Uint8Array>,
  longestLineBytes = LONGEST_LINE_BYTES,
): AsyncGenerator<EdgeFeedMessage, void, undefined> {
  let pieces: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...pieces, chunk.subarray(start, end)]).toString();
      [pieces, pendingBytes, start] = [[], 0, end + 1];
      if (line.trim() !== '') yield parseLine(line);
    }
    pieces.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > longestLineBytes) throw new FeedError(`a line of more than ${longestLineBytes} bytes`);
  }
}

function parseLine(line: string): EdgeFeedMessage {
  const parsed = edgeFeedMessageSchema.safeParse(parseJson(line));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new FeedError(`a line is no feed message (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`);
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new FeedError('a line is not JSON');
  }
}
