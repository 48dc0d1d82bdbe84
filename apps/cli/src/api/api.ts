import { retry } from '@pets/async';
import { createPetsClient, readAllPages, type PetsClient } from '@pets/client';
import { apiErrorSchema, errorStatus, fieldErrorText, type ErrorCode, type FieldError } from '@pets/contracts';
import type { z } from 'zod';
import { CommandFailure, report, type OutcomeStatus } from '../outcome/outcome.js';

/** For all attempts together. An upload may take longer. */
const REQUEST_TIMEOUT_MS = 30_000;
const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/** Pause after which a replaced API process, or another one, accepts connections again. */
const RETRY_DELAY_MS = 500;

export interface ApiAccess {
  readonly apiUrl: string;
  readonly apiKey: string;
}

interface ApiResult<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** A client of the HTTP API. An error response or no response ends the command with its report. */
export class Api {
  readonly http: PetsClient;

  constructor(readonly access: ApiAccess) {
    this.http = createPetsClient({
      baseUrl: access.apiUrl,
      apiKey: access.apiKey,
      fetch: fetchWithRetry,
    });
  }

  /** The body of the response. @throws ApiFailure, ApiUnreachable */
  async data<Data>(call: Promise<ApiResult<Data>>): Promise<Data> {
    const { data } = await this.result(call);
    if (data === undefined) throw new ApiUnreachable(this.access.apiUrl, 'the response is empty');
    return data;
  }

  /** All pages of a list. @throws ApiFailure, ApiUnreachable */
  allPages<Item>(
    call: (query: { readonly cursor?: string }) => Promise<ApiResult<readonly Item[]>>,
  ): Promise<readonly Item[]> {
    return readAllPages((query) => this.result(call(query)));
  }

  /** The response, which may have no body. @throws ApiFailure, ApiUnreachable */
  async result<Data>(call: Promise<ApiResult<Data>>): Promise<ApiResult<Data>> {
    let result: ApiResult<Data>;
    try {
      result = await call;
    } catch (error) {
      throw new ApiUnreachable(this.access.apiUrl, describeNetworkError(error));
    }
    const { response } = result;
    if (response.ok) return result;
    const body = errorBodySchema.safeParse(result.error);
    // A proxy or another server responds with a body of another shape.
    if (!body.success)
      throw new ApiUnreachable(this.access.apiUrl, `HTTP ${response.status} from another server or proxy`);
    throw new ApiFailure(body.data, response);
  }
}

/** Retries once after a broken connection, when repeating the request is safe. */
async function fetchWithRetry(request: Request): Promise<Response> {
  const isUpload = request.headers.has('content-type') && request.headers.get('content-type') !== 'application/json';
  const signal = AbortSignal.timeout(isUpload ? UPLOAD_TIMEOUT_MS : REQUEST_TIMEOUT_MS);
  const isIdempotent = request.method === 'GET' || request.headers.has('idempotency-key');
  if (!isIdempotent) return fetch(request, { signal });
  return retry(() => fetch(request.clone(), { signal }), {
    nextDelayMs: (failures) => (failures === 1 ? RETRY_DELAY_MS : null),
    signal,
  });
}

/** A newer API may send codes that this version does not know. An older one sends no `errors`. */
const errorBodySchema = apiErrorSchema
  .pick({ message: true, errors: true })
  .extend({ code: apiErrorSchema.shape.message.regex(/^[a-z][a-z0-9_]*$/) });

type ErrorBody = z.infer<typeof errorBodySchema>;

/** The API responded with an error. */
export class ApiFailure extends CommandFailure {
  readonly code: string;
  /** How long the API asks to wait; 0 where it does not. */
  readonly retryAfterMs: number;

  constructor({ code, message, errors = [] }: ErrorBody, { status, headers }: Response) {
    const retryAfter = headers.get('retry-after');
    const text = errors.length > 1 ? errors.map(fieldErrorText).join('; ') : message;
    const retry = retryAfter === null ? '' : ` Retry in ${retryAfter} s.`;
    const sentences = errors.length > 0 ? errors.map(sentenceOf).join(' ') : message;
    const summary = `${sentences}${retry}`;
    super(report(statusOfError(code, status), code, `${text}${retry}`, { summary }));
    this.code = code;
    const seconds = Number(retryAfter ?? 0); // a proxy may send a date
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : 0;
  }
}

/** `name is required.`; a sentence of its own needs no name of a field before it. */
function sentenceOf({ field, message }: FieldError): string {
  const isPredicate = /^(?:is|are|has|must|may|can|cannot|does|needs|requires|contains)\b/.test(message);
  const sentence = isPredicate ? `${field === '' ? 'The body' : field} ${message}` : message;
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The API did not respond, or something else did. */
class ApiUnreachable extends CommandFailure {
  readonly retryAfterMs = 0;

  constructor(apiUrl: string, detail: string) {
    super(report('unavailable', 'api_unreachable', `Could not get a response from the API at ${apiUrl}: ${detail}.`));
  }
}

/** Whether the same request may succeed later. */
export function isTransient(error: unknown): error is ApiFailure | ApiUnreachable {
  if (error instanceof ApiUnreachable) return true;
  return error instanceof ApiFailure && ['not_yet', 'unavailable'].includes(error.report.status);
}

/** Error codes whose outcome does not follow from their HTTP status. */
const statusByCode: Partial<Record<string, OutcomeStatus>> = {
  invalid_request: 'usage',
  invalid_parameter: 'usage',
  invalid_cursor: 'usage',
  // These concern the plan, not the key.
  plan_required: 'refused',
  domain_limit_reached: 'refused',
  project_limit_reached: 'refused',
  channel_limit_reached: 'refused',
  origin_limit_reached: 'refused',
  api_key_limit_reached: 'refused',
  storage_limit_reached: 'refused',
  reverify_too_early: 'not_yet',
  idempotency_in_progress: 'not_yet',
} satisfies Partial<Record<ErrorCode, OutcomeStatus>>;

/** The outcome of a command whose request was answered with an error. */
export function statusOfError(code: string, httpStatus: number): OutcomeStatus {
  const known = statusByCode[code];
  if (known !== undefined) return known;
  if (httpStatus === errorStatus.unauthenticated || httpStatus === errorStatus.forbidden) return 'unauthorized';
  if (httpStatus === errorStatus.rate_limited) return 'not_yet';
  return httpStatus >= 500 || httpStatus === errorStatus.timeout ? 'unavailable' : 'refused';
}

/** `fetch` puts the reason into the cause. */
export function describeNetworkError(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return 'the request timed out';
  const code = 'code' in cause ? String(cause.code) : '';
  return cause.message || code || cause.name;
}
