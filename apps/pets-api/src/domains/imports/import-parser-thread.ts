/** The thread of import-parser.ts: parses all files, a chunk of each in turn. */
import { constants, setPriority } from 'node:os';
import { extname } from 'node:path';
import { parentPort } from 'node:worker_threads';
import type { ParserAnswer, ParserMessage } from './import-parser.js';
import type { ImportFile, ImportLine } from './parse-import.js';

// In tests, threads do not have the loader that maps `.js` to a TypeScript source.
const extension = extname(new URL(import.meta.url).pathname);
const { ImportFault, parseImport } = (await import(
  new URL(`./parse-import${extension}`, import.meta.url).href
)) as typeof import('./parse-import.js');

/** Linux gives each thread its own priority: requests go first. Elsewhere the whole process would have it. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_LOW);

const files = new Map<number, (chunk: Uint8Array | null) => void>();

async function parse(file: number, format: ImportFile, piece: number): Promise<void> {
  let lines: ImportLine[] = [];
  let pieces: ParserAnswer['pieces'][number][] = [];
  const answer = (more: Partial<ParserAnswer>) => {
    parentPort?.postMessage({ file, pieces, ...more } satisfies ParserAnswer);
    pieces = [];
  };
  const endPiece = () => {
    pieces.push({ json: JSON.stringify(lines), lines: lines.length });
    lines = [];
  };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = new Promise<Uint8Array | null>((resolve) => files.set(file, resolve));
      answer({});
      const chunk = await next;
      if (chunk === null) return;
      yield chunk;
    }
  }
  try {
    for await (const line of parseImport(chunks(), format)) if (lines.push(line) === piece) endPiece();
    if (lines.length > 0) endPiece();
    answer({ isDone: true });
  } catch (error) {
    answer({ isDone: true, ...(error instanceof ImportFault ? { fault: error.message } : { error: String(error) }) });
  } finally {
    files.delete(file);
  }
}

parentPort?.on('message', (message: ParserMessage) => {
  if ('format' in message) void parse(message.file, message.format, message.piece);
  else if (message.chunk === 'abandoned') files.delete(message.file);
  else files.get(message.file)?.(message.chunk);
});
