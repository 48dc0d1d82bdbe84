import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';

/** One open stream, and when each line of the history came. */
export interface StreamReader {
  /** The line it goes on behind. */
  readonly start: () => number | null;
  readonly lines: readonly ArrivedLine[];
  /** Whether it has ended, which none should. */
  readonly isOver: () => boolean;
  close(): void;
}

interface ArrivedLine {
  readonly number: number;
  /** Milliseconds from the moment the change was decided, before it was written, to its arrival here. */
  readonly delayMs: number;
}

/** Every stream has a connection of its own. */
const agent = new Agent({ keepAlive: false });
const OPEN_LIMIT_MS = 30_000;

export async function openStream(apiUrl: string, apiKey: string, projectId: string): Promise<StreamReader> {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${apiKey}` };
  const request = get(`${apiUrl}/v1/projects/${projectId}/events`, { headers, agent });
  const limit = { signal: AbortSignal.timeout(OPEN_LIMIT_MS) };
  const [response] = (await once(request, 'response', limit)) as [IncomingMessage]; // as Node documents it
  if (response.statusCode !== 200) throw new Error(`a stream was answered ${response.statusCode}`);
  const lines: ArrivedLine[] = [];
  let [start, rest, isOver]: [number | null, string, boolean] = [null, '', false];
  response.setEncoding('utf8').on('data', (chunk: string) => {
    const now = performance.timeOrigin + performance.now();
    const blocks = (rest + chunk).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /^event: (\w+)\ndata: (.*)$/m.exec(block) ?? [];
      if (data === undefined) continue;
      const { number, at } = JSON.parse(data) as { number: number; at: string }; // what the API sends
      if (event === 'ready') start = number;
      if (event === 'history') lines.push({ number, delayMs: now - Date.parse(at) });
    }
  });
  for (const event of ['end', 'error']) response.on(event, () => (isOver = true));
  return { start: () => start, lines, isOver: () => isOver, close: () => void response.destroy() };
}
