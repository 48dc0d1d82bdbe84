import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type DomainEvents, WEBHOOK_ANSWER_BYTES, WEBHOOK_HEADERS_BYTES, type WebhookJobs } from '@pets/contracts';
import { failureText } from '@pets/domains';
import { type Agent, type Dispatcher, request } from 'undici';
import { parseRetryAfter } from '../certificate-authority/ca-problem.js';
import type { Config } from '../config.js';
import { EventSender } from '../events/event-sender.js';
import { CONFIG } from '../providers.js';
import { createReceiverAgent, receiverAddresses } from './receiver-agent.js';

/** Sends the request that the API has signed and reports the response. The API decides whether it was delivered. */
@Injectable()
export class WebhooksService implements OnApplicationShutdown {
  private readonly agent;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
    private readonly events: EventSender,
  ) {
    this.agent = createReceiverAgent(receiverAddresses({ allowsPrivate: config.ALLOW_PRIVATE_WEBHOOK_TARGETS }));
  }

  async deliver(job: WebhookJobs['deliver-webhook'], signal: AbortSignal): Promise<void> {
    const { deliveryId, attempt } = job;
    const result = await sendWebhook(this.agent, job, signal);
    await this.events.send('webhook.attempted', { deliveryId, attempt, ...result }, signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}

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

/** Headers that often hold credentials of the receiver. */
const hiddenHeaders: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'set-cookie',
  'set-cookie2',
  'x-api-key',
]);

const MAX_HEADER_VALUE = 256;

/** The first headers of a response that fit, without credentials. Values of a repeated header are joined. */
export function boundHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const kept: [string, string][] = [];
  let size = 0;
  for (const [name, given] of Object.entries(headers)) {
    if (given === undefined || hiddenHeaders.has(name.toLowerCase())) continue;
    const value = maskSecrets(typeof given === 'string' ? given : given.join(', ')).slice(0, MAX_HEADER_VALUE);
    size += name.length + value.length;
    if (size > WEBHOOK_HEADERS_BYTES) break;
    kept.push([name, value]);
  }
  return Object.fromEntries(kept);
}

/** The start of a response body as text. */
export function boundBody(bytes: Buffer): string {
  return maskSecrets(bytes.subarray(0, WEBHOOK_ANSWER_BYTES).toString()).slice(0, WEBHOOK_ANSWER_BYTES);
}

/** A debug page of a receiver may show its settings, and with them the signing secret. Also replaces NUL. */
function maskSecrets(text: string): string {
  return text.replaceAll(/whsec_[A-Za-z0-9+/=_-]+/g, 'whsec_…').replaceAll('\0', '\u{fffd}');
}
