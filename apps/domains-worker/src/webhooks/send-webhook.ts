import { WEBHOOK_ANSWER_BYTES, type DomainEvents, type WebhookJobs } from '@pets/contracts';
import { failureText } from '@pets/domains';
import { request, type Agent, type Dispatcher } from 'undici';
import { parseRetryAfter } from '../certificate-authority/ca-problem.js';

/** What a request has shown. */
export type Shown = Omit<DomainEvents['webhook.attempted'], 'deliveryId' | 'attempt'>;

const USER_AGENT = 'pets-webhooks/1.0';

/** PostgreSQL keeps the text, and a page of an error may be long. */
const MAX_ERROR = 500;

/** How long the rest of an answer is waited for once its status is known: the status is what counts. */
const BODY_LIMIT_MS = 3_000;

/**
 * Sends one request. Redirects are not followed, cookies not kept, and of the answer's body no more is read than is shown.
 * Never throws: whatever went wrong is what the request has shown.
 */
export async function sendWebhook(
  agent: Agent,
  { url, headers, body }: Pick<WebhookJobs['deliver-webhook'], 'url' | 'headers' | 'body'>,
  signal: AbortSignal,
): Promise<Shown> {
  const [at, begun] = [new Date(), performance.now()];
  const end = () => ({ at: at.toISOString(), durationMs: Math.round(performance.now() - begun) });
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': USER_AGENT },
      body,
      signal,
    });
    const bodyStart = await readStart(answer.body);
    const retryAt = parseRetryAfter(answer.headers['retry-after'], new Date())?.toISOString() ?? null;
    return { ...end(), status: answer.statusCode, error: null, retryAt, bodyStart };
  } catch (error) {
    const reason = signal.aborted ? failureText(signal.reason) : failureText(error);
    return { ...end(), status: null, error: reason.slice(0, MAX_ERROR), retryAt: null, bodyStart: null };
  }
}

/** How a body begins; what does not come is not waited for. */
async function readStart(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const impatience = setTimeout(() => body.destroy(new Error('the body took too long')), BODY_LIMIT_MS);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= WEBHOOK_ANSWER_BYTES) break; // which ends the connection: the rest would only cost
    }
  } catch {
    // The status has come. A body that breaks off says no more than what was read of it.
  } finally {
    clearTimeout(impatience);
  }
  const start = Buffer.concat(chunks).subarray(0, WEBHOOK_ANSWER_BYTES).toString();
  return start.replaceAll('\0', '\u{fffd}').slice(0, WEBHOOK_ANSWER_BYTES);
}
