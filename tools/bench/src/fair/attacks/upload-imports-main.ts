import { request } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { UploadOrder } from './process-attacks.js';

/** `upload-imports-main.js`, with its order on standard input: uploads names to remove, which needs no deployment, until it is killed. */

/** Imports that an organization may have under way. */
const AT_ONCE = 5;
const PIECE_BYTES = 64 * 1024;

/** Files to upload: that of empty lines is as large as an import may be. */
const files = {
  'empty-lines': () => ({
    type: 'text/csv',
    bytes: Buffer.concat([Buffer.from('name\n'), Buffer.alloc(32 * 1_048_576 - 5, '\n')]),
  }),
  'cancelled-imports': () => ({
    type: 'application/x-ndjson',
    bytes: Buffer.from(`"${'a'.repeat(200)}.example"\n`.repeat(20_000)),
  }),
} as const;

const { apiKey, url, kind } = JSON.parse(await text(process.stdin)) as UploadOrder;
const file = files[kind]();
const headers = { authorization: `Bearer ${apiKey}` };
await Promise.all(Array.from({ length: AT_ONCE }, repeat));

async function repeat(): Promise<never> {
  for (;;) {
    const answer = await upload();
    if (answer?.status !== 201 || kind !== 'cancelled-imports') continue;
    const { id } = JSON.parse(answer.body) as { readonly id: string };
    const cancelled = await fetch(`${url}/${id}/cancel`, { method: 'POST', headers });
    await cancelled.arrayBuffer();
  }
}

/** @returns null if the connection broke, as it may where a file is refused while it is still sent */
function upload(): Promise<{ readonly status: number; readonly body: string } | null> {
  const pieces = function* (): Generator<Buffer> {
    for (let at = 0; at < file.bytes.length; at += PIECE_BYTES) yield file.bytes.subarray(at, at + PIECE_BYTES);
  };
  return new Promise((resolve) => {
    const type = { 'content-type': file.type, 'content-length': file.bytes.length };
    const sent = request(`${url}?action=remove`, { method: 'POST', headers: { ...headers, ...type } }, (answer) => {
      const read = text(answer).then(
        (body) => resolve({ status: answer.statusCode ?? 0, body }),
        () => resolve(null),
      );
      void read.finally(() => sent.destroy());
    });
    sent.on('error', () => resolve(null));
    Readable.from(pieces(), { objectMode: false })
      .on('error', () => undefined)
      .pipe(sent);
  });
}
