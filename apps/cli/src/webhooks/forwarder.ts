import type { WebhookStreamEvent } from '@pets/client';
import { InvalidArgumentError } from 'commander';
import { describeNetworkError } from '../api/api.js';

export type Delivery = Extract<WebhookStreamEvent, { type: 'delivery' }>;

/** What the local server answered. */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** As for an endpoint. */
const ANSWER_LIMIT_MS = 20_000;
const MAX_RUNNING = 8;

/** Accepts `http://localhost:3000/hook`, and the same without `http://`. */
export function parseForwardUrl(text: string): string {
  const url = URL.parse(/^https?:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || url.hostname === '')
    throw new InvalidArgumentError('Must be a URL such as http://localhost:3000/hook.');
  return url.href;
}

/**
 * Sends deliveries to a local server as an endpoint gets them: those of one resource one after another, those of others
 * beside them, and each once.
 */
export class Forwarder {
  readonly #url: string;
  readonly #bySubject = new Map<string, Promise<void>>();

  constructor(url: string) {
    this.#url = url;
  }

  /** Starts to send. Waits only while many are under way. */
  async send(delivery: Delivery, onAnswer: (answer: Answer) => void): Promise<void> {
    const before = this.#bySubject.get(delivery.subjectId) ?? Promise.resolve();
    const sending = before.then(() => post(this.#url, delivery)).then(onAnswer);
    this.#bySubject.set(delivery.subjectId, sending);
    void sending.finally(() => {
      if (this.#bySubject.get(delivery.subjectId) === sending) this.#bySubject.delete(delivery.subjectId);
    });
    if (this.#bySubject.size >= MAX_RUNNING) await Promise.race(this.#bySubject.values());
  }
}

async function post(url: string, { headers, body }: Delivery): Promise<Answer> {
  const startedAt = performance.now();
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers,
      body,
      redirect: 'manual', // an endpoint is not followed either
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    await response.body?.cancel();
    return { kind: 'answered', status: response.status, durationMs: Math.round(performance.now() - startedAt) };
  } catch (error) {
    return { kind: 'failed', reason: describeNetworkError(error) };
  }
}
