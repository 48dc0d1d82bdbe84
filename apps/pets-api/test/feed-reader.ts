import { edgeFeedMessageSchema, type EdgeFeedMessage } from '@pets/contracts';
import { EDGE_TOKEN } from './harness.js';

export type Batch = Extract<EdgeFeedMessage, { kind: 'batch' }>;

export interface FeedReader {
  next(): Promise<Batch>;
  close(): Promise<void>;
}

/** Reads the batches of the feed until the test has enough. */
export async function openFeed(apiUrl: string, query: string): Promise<FeedReader> {
  const abort = new AbortController();
  const response = await fetch(`${apiUrl}/internal/edge/feed?${query}`, {
    headers: { authorization: `Bearer ${EDGE_TOKEN}` },
    signal: abort.signal,
  });
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream()).getReader();
  let buffer = '';
  const nextLine = async (): Promise<string> => {
    for (let end = buffer.indexOf('\n'); ; end = buffer.indexOf('\n')) {
      if (end >= 0) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 1);
        return line;
      }
      const { value, done } = await reader.read();
      if (done) throw new Error('the feed has ended');
      buffer += value;
    }
  };
  return {
    next: async () => {
      for (;;) {
        const message = edgeFeedMessageSchema.parse(JSON.parse(await nextLine()));
        if (message.kind === 'batch') return message;
      }
    },
    close: async () => {
      abort.abort();
      await reader.cancel().catch(() => undefined);
    },
  };
}

export async function firstBatch(apiUrl: string, query = 'after=0'): Promise<Batch> {
  const feed = await openFeed(apiUrl, query);
  try {
    return await feed.next();
  } finally {
    await feed.close();
  }
}
