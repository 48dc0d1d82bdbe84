import { setTimeout as delay } from 'node:timers/promises';
import { createPetsClient, type PetsClient } from '@pets/client';
import { apiErrorSchema, fieldErrorText } from '@pets/contracts';
import { ApiFailure, Unreachable } from './api-failure.js';
import { nextCursor } from './next-cursor.js';

/** For all tries together. An upload may take longer. */
const REQUEST_LIMIT_MS = 30_000;
const UPLOAD_LIMIT_MS = 10 * 60_000;

/** A process that is being replaced is back by then, or another one is. */
const RETRY_AFTER_MS = 500;

export interface ApiAccess {
  readonly apiUrl: string;
  readonly apiKey: string;
}

interface Answer<Content> {
  readonly data?: Content;
  readonly error?: unknown;
  readonly response: Response;
}

/** The HTTP interface, of which every refusal and every silence ends the command with its report. */
export class Api {
  readonly http: PetsClient;

  constructor(readonly access: ApiAccess) {
    this.http = createPetsClient({
      baseUrl: access.apiUrl,
      apiKey: access.apiKey,
      fetch: send,
    });
  }

  /** What a call is answered with. @throws ApiFailure, Unreachable */
  async ask<Content>(call: Promise<Answer<Content>>): Promise<Content> {
    const { data } = await this.answer(call);
    if (data === undefined) throw new Unreachable(this.access.apiUrl, 'the response is empty');
    return data;
  }

  /** A complete list, page after page as long as `Link` names one. @throws ApiFailure, Unreachable */
  async askAll<Item>(
    call: (query: { readonly cursor?: string }) => Promise<Answer<readonly Item[]>>,
  ): Promise<readonly Item[]> {
    const items: Item[] = [];
    let cursor: string | null = null;
    do {
      const { data = [], response }: Answer<readonly Item[]> = await this.answer(
        call(cursor === null ? {} : { cursor }),
      );
      items.push(...data);
      cursor = nextCursor(response);
    } while (cursor !== null);
    return items;
  }

  /** A call's whole answer, which may be empty. @throws ApiFailure, Unreachable */
  async answer<Content>(call: Promise<Answer<Content>>): Promise<Answer<Content>> {
    let answer: Answer<Content>;
    try {
      answer = await call;
    } catch (error) {
      throw new Unreachable(this.access.apiUrl, describeSilence(error));
    }
    const { response } = answer;
    if (response.ok) return answer;
    const refusal = refusalSchema.safeParse(answer.error);
    // What stands between us and the API (a proxy, another server) has other shapes.
    if (!refusal.success)
      throw new Unreachable(this.access.apiUrl, `HTTP ${response.status} from another server or proxy`);
    const { code, message, errors = [] } = refusal.data;
    const words = errors.length > 1 ? errors.map(fieldErrorText).join('; ') : message;
    throw new ApiFailure(code, words, response.status, response.headers.get('retry-after'));
  }
}

/** Once more where the connection failed and a second time does no harm. */
async function send(request: Request): Promise<Response> {
  const isUpload = request.headers.get('content-type') === 'application/gzip';
  const signal = AbortSignal.timeout(isUpload ? UPLOAD_LIMIT_MS : REQUEST_LIMIT_MS);
  const isRepeatable = request.method === 'GET' || request.headers.has('idempotency-key');
  if (!isRepeatable) return fetch(request, { signal });
  try {
    return await fetch(request.clone(), { signal });
  } catch (error) {
    if (signal.aborted) throw error;
    await delay(RETRY_AFTER_MS, undefined, { signal });
    return fetch(request, { signal });
  }
}

/** A newer API may know codes that this command does not, and an older one lists no errors. */
const refusalSchema = apiErrorSchema
  .pick({ message: true, errors: true })
  .extend({ code: apiErrorSchema.shape.message.regex(/^[a-z][a-z0-9_]*$/) });

/** `fetch` hides the reason in the cause. */
function describeSilence(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return 'the request timed out';
  const code = 'code' in cause ? String(cause.code) : '';
  return cause.message || code || cause.name;
}
