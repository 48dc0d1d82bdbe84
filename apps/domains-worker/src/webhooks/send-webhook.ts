import { WEBHOOK_ANSWER_BYTES, type DomainEvents, type WebhookJobs } from '@pets/contracts';
import { failureText } from '@pets/domains';
import { request, type Agent, type Dispatcher } from 'undici';
import { parseRetryAfter } from '../certificate-authority/ca-problem.js';
import { boundBody, boundHeaders } from './response-evidence.js';

/** The result of one request. */
export type WebhookResult = Omit<DomainEvents['webhook.attempted'], 'deliveryId' | 'attempt'>;

const USER_AGENT = 'pets-webhooks/1.0';

/** The text is stored, and an error page may be long. */
const MAX_ERROR = 500;

/** The wait for the body after the status, which is the part that matters. */
const BODY_LIMIT_MS = 3_000;

/**
 * Sends one request, without redirects and cookies, and reads only the part of the response body that is shown. It never
 * throws: an error is part of the result.
 */
export async function sendWebhook(
  agent: Agent,
  { url, headers, body }: Pick<WebhookJobs['deliver-webhook'], 'url' | 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<WebhookResult> {
  const at = new Date();
  const startedMs = performance.now();
  const requestHeaders = { ...headers, 'content-type': 'application/json', 'user-agent': USER_AGENT };
  const sent = () => ({
    at: at.toISOString(),
    durationMs: Math.round(performance.now() - startedMs),
    requestHeaders,
  });
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: requestHeaders,
      body,
      signal,
    });
    const bodyStart = await readStart(answer.body);
    const retryAt = parseRetryAfter(answer.headers['retry-after'], new Date())?.toISOString() ?? null;
    const responseHeaders = boundHeaders(answer.headers);
    return { ...sent(), status: answer.statusCode, error: null, retryAt, bodyStart, responseHeaders };
  } catch (error) {
    const reason = signal.aborted ? failureText(signal.reason) : failureText(error);
    const none = { status: null, retryAt: null, bodyStart: null, responseHeaders: null };
    return { ...sent(), ...none, error: reason.slice(0, MAX_ERROR) };
  }
}

/** The start of a body, as far as it arrives in time. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => body.destroy(new Error('the body timed out')), BODY_LIMIT_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= WEBHOOK_ANSWER_BYTES) break; // closes the connection
    }
  } catch {
    // The status is known, and the part that was read before the error is enough.
  } finally {
    clearTimeout(timer);
  }
  return boundBody(Buffer.concat(chunks));
}
