/**
 * An application behind custom domains: `PLATFORM_SECRET=… node server.mjs [port]`. It answers differently for each domain, and
 * only to requests that come from the platform.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { clearInterval, setInterval } from 'node:timers';

const port = Number(process.argv[2] ?? 4_000);
const secret = process.env.PLATFORM_SECRET ?? '';
const TICK_MS = 1_000;

const server = createServer((request, response) => {
  if (!comesFromPlatform(request)) return answer(response, 403, 'This application answers its platform only.\n');
  const { pathname } = new URL(request.url, 'http://application');
  switch (pathname) {
    case '/':
      return answer(response, 200, describe(request));
    case '/events':
      return sendTicks(request, response);
    case '/echo':
      response.writeHead(200, { 'content-type': request.headers['content-type'] ?? 'application/octet-stream' });
      return request.pipe(response);
    default:
      return answer(response, 404, 'Nothing is here.\n');
  }
});
server.listen(port, '127.0.0.1', () => process.stdout.write(`answers at http://127.0.0.1:${server.address().port}\n`));

/** Everybody who finds this port can send the headers of the platform, but only the platform knows the secret. */
function comesFromPlatform({ headers }) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return secret !== '' && timingSafeEqual(digest(String(headers['x-platform-secret'] ?? '')), digest(secret));
}

function describe({ headers }) {
  const customer = headers['x-pets-external-id'] ?? 'a visitor of the platform';
  return [
    `Hello ${decodeURIComponent(customer)}.`,
    `You asked for ${headers['x-forwarded-host']}, from ${headers['x-forwarded-for']}.`,
    `Metadata: ${decodeURIComponent(headers['x-pets-metadata'] ?? '{}')}`,
    '',
  ].join('\n');
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), until the visitor goes. */
function sendTicks(request, response) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  let count = 0;
  const tick = () => response.write(`data: ${(count += 1)}\n\n`);
  tick();
  const timer = setInterval(tick, TICK_MS);
  request.on('close', () => clearInterval(timer));
}

function answer(response, status, text) {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' });
  response.end(text);
}
