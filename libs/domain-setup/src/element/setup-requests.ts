const REQUEST_LIMIT_MS = 15_000;
/** The API sends a comment every 15 seconds. */
const SILENCE_LIMIT_MS = 45_000;
/** A longer line is none of ours. */
const MAX_LINE = 64 * 1024;
/** However long the API asks to wait, a page that somebody looks at tries again by then. */
const MAX_RETRY_AFTER_MS = 5 * 60_000;

/** A time-out, a request that came too early, and too many of them. */
const retried: readonly number[] = [408, 425, 429];

/** The API refuses a request, or cannot be reached. */
export class RequestFailure extends Error {
  /**
   * @param status null without an answer
   * @param retryAfterMs what the API asks to wait; null if it does not say
   */
  constructor(
    readonly status: number | null,
    readonly retryAfterMs: number | null,
  ) {
    super(`the request failed with ${status ?? 'no answer'}`);
  }

  /** Whether the token is not valid, or its link has ended. */
  get isRefused(): boolean {
    return this.status !== null && this.status >= 400 && this.status < 500 && !retried.includes(this.status);
  }
}

/** A token for the operations of a link. */
export interface SetupSessionToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/** Requests of the page of a link. Without cookies: the token alone gives access. */
export class SetupRequests {
  /** @param api the origin of the API, or an address below which it is */
  constructor(
    private readonly api: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Exchanges the token of a link, or one of this operation, for a new one. */
  async exchange(token: string): Promise<SetupSessionToken> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ token });
    const opened = (await this.json('sessions', { method: 'POST', headers, body })) as Record<string, unknown> | null; // checked below
    const { token: issued, expiresAt } = opened ?? {};
    if (typeof issued !== 'string') throw new RequestFailure(null, null);
    return { token: issued, expiresAtMs: Date.parse(String(expiresAt)) };
  }

  /** Reads the domains of the link. */
  read(token: string): Promise<unknown> {
    return this.json('', { headers: authorize(token) });
  }

  /** Lets the API check the DNS of the domains of the link, and reads them. */
  watch(token: string): Promise<unknown> {
    return this.json('watch', { method: 'POST', headers: authorize(token) });
  }

  /**
   * Follows the stream of the link until it ends.
   * @param onEvent gets the name of each event
   */
  async follow(token: string, onEvent: (name: string) => void): Promise<void> {
    const silence = new AbortController();
    let timer = setTimeout(() => silence.abort(), SILENCE_LIMIT_MS);
    try {
      const response = await this.send('events', { headers: authorize(token) }, silence.signal);
      const reader = (response.body ?? new ReadableStream<Uint8Array<ArrayBuffer>>())
        .pipeThrough(new TextDecoderStream())
        .getReader();
      let rest = '';
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return;
        clearTimeout(timer);
        timer = setTimeout(() => silence.abort(), SILENCE_LIMIT_MS);
        const lines = (rest + value).split('\n');
        rest = (lines.pop() ?? '').slice(-MAX_LINE);
        for (const line of lines) if (line.startsWith('event:')) onEvent(line.slice('event:'.length).trim());
      }
    } finally {
      clearTimeout(timer);
      // The connection is not needed any more, however the stream ended.
      silence.abort();
    }
  }

  private async json(path: string, init: RequestInit): Promise<unknown> {
    const response = await this.send(path, init, AbortSignal.timeout(REQUEST_LIMIT_MS));
    return response.json().catch(() => null);
  }

  private async send(path: string, init: RequestInit, limit: AbortSignal): Promise<Response> {
    const response = await fetch(`${this.api}/v1/setup${path === '' ? '' : `/${path}`}`, {
      ...init,
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.any([this.signal, limit]),
    }).catch(() => {
      throw new RequestFailure(null, null);
    });
    if (response.ok) return response;
    // Or the connection stays in use.
    void response.body?.cancel().catch(() => undefined);
    throw new RequestFailure(response.status, retryAfterMs(response.headers.get('retry-after')));
  }
}

function authorize(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}
