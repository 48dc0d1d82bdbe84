import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { renderPage, type PageName } from './pages.js';

export type EdgeRequest = IncomingMessage | Http2ServerRequest;
export type EdgeResponse = ServerResponse | Http2ServerResponse;

type Headers = Readonly<Record<string, string>>;

/** One of the edge's own pages, with headers that it has here besides. */
export function sendPage(name: PageName, request: EdgeRequest, response: EdgeResponse, besides: Headers = {}): void {
  const { status, headers, body } = renderPage(name);
  sendWhole(status, { ...headers, ...besides }, body, request, response);
}

export function sendText(status: number, headers: Headers, text: string, request: EdgeRequest, response: EdgeResponse) {
  sendWhole(status, { ...headers, 'x-content-type-options': 'nosniff' }, Buffer.from(text), request, response);
}

/** HEAD gets the headers of GET, with its length. */
export function sendWhole(
  status: number,
  headers: Headers,
  body: Buffer,
  request: EdgeRequest,
  response: EdgeResponse,
): void {
  setHead(response, status, { ...headers, 'content-length': String(body.length) });
  if (request.method === 'HEAD') response.end();
  else response.end(body);
}

/** A head that nothing follows, for a status that has no body. */
export function sendHead(status: number, headers: Headers, response: EdgeResponse): void {
  setHead(response, status, headers);
  response.end();
}

/**
 * Sends a stream as fast as the client takes it; a client that goes away ends the reading.
 * @throws Error when it broke off, on either side, or brought another number of bytes than was promised
 */
export async function sendStream(
  status: number,
  headers: Headers,
  { stream, bytes }: { readonly stream: Readable; readonly bytes: number },
  response: EdgeResponse,
): Promise<void> {
  setHead(response, status, { ...headers, 'content-length': String(bytes) });
  await pipeline(stream, (chunks: AsyncIterable<Buffer>) => counted(chunks, bytes), response);
}

async function* counted(chunks: AsyncIterable<Buffer>, bytes: number) {
  let seen = 0;
  for await (const chunk of chunks) {
    seen += chunk.length;
    if (seen > bytes) break;
    yield chunk;
  }
  // The end of a body that is too short would leave the client waiting on the connection.
  if (seen !== bytes) throw new Error(`a stored file has not the ${bytes} bytes that it should have`);
}

function setHead(response: EdgeResponse, status: number, headers: Headers): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
