import { RequestFailure, SetupRequests, type SetupSessionToken } from './setup-requests.js';

/** `limited`: too many requests; `offline`: the API does not answer. Both continue without a click. */
export type LinkState = 'loading' | 'open' | 'limited' | 'offline' | 'ended';

/** Receiver of what a connection reports. */
export interface SetupListener {
  /** @param setup as the API sent it */
  onSetup(setup: unknown): void;
  onState(state: LinkState): void;
  /** Reports another token for the page. */
  onSession(token: string): void;
}

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** A token is valid for an hour, by a clock that may differ from that of the browser. */
const MAX_RENEWAL_MS = 30 * 60_000;
const MIN_RENEWAL_MS = 60_000;
const RENEWED_BEFORE_MS = 5 * 60_000;

/**
 * The connection of a page to its link: opens the link, reads what it shows, follows changes, and renews the token. After a
 * failure it tries again, with a growing pause, until the API says that the link has ended.
 */
export class SetupConnection {
  private readonly closing = new AbortController();
  private readonly requests: SetupRequests;
  private session: SetupSessionToken | null = null;
  private reopening: Promise<boolean> | null = null;
  private failures = 0;
  /** Before this time the API is asked nothing that it is not asked for again later. */
  private pausedUntilMs = 0;
  private isReading = false;
  /** Request to send after the one that is under way. */
  private next: 'read' | 'watch' | null = null;
  private watchedMs = 0;

  /** @param token of the link, or of a page of it */
  constructor(
    api: string,
    private token: string,
    private readonly listener: SetupListener,
  ) {
    this.requests = new SetupRequests(api, this.closing.signal);
  }

  /** When the API was last asked to check; 0 before. */
  get lastWatchMs(): number {
    return this.watchedMs;
  }

  start(): void {
    void this.run();
  }

  close(): void {
    this.closing.abort();
  }

  /** Lets the API check the DNS, unless it has asked to wait. */
  watch(): void {
    if (this.session === null || Date.now() < this.pausedUntilMs) return;
    void this.update('watch');
  }

  private async run(): Promise<void> {
    await this.retry(async () => {
      await this.reopen();
    });
    await this.retry(() => this.readOnce('read'));
    void this.renew();
    // A stream ends when the server stops, and with the link, which the next request finds.
    while (!this.isClosed) {
      await this.retry(() => this.followOnce());
      await this.pause(MIN_PAUSE_MS);
    }
  }

  private async followOnce(): Promise<void> {
    await this.withSession((token) =>
      this.requests.follow(token, (name) => {
        this.succeed();
        // What changed between two streams is in none of them.
        if (name === 'ready' || name === 'changed') void this.update('read');
      }),
    );
  }

  private async renew(): Promise<void> {
    while (!this.isClosed) {
      const leftMs = (this.session?.expiresAtMs ?? 0) - Date.now() - RENEWED_BEFORE_MS;
      await this.pause(Math.min(Math.max(leftMs || 0, MIN_RENEWAL_MS), MAX_RENEWAL_MS));
      const { session } = this;
      if (session === null || this.isClosed) return;
      await this.requests.exchange(session.token).then(
        (renewed) => this.use(renewed),
        // The next request with a token that is no longer valid opens the link again.
        () => undefined,
      );
    }
  }

  /** Reads at once, or again after the request that is under way. */
  private async update(way: 'read' | 'watch'): Promise<void> {
    if (this.isReading) {
      if (this.next !== 'watch') this.next = way;
      return;
    }
    this.isReading = true;
    await this.readOnce(way).catch((error: unknown) => this.fail(error));
    this.isReading = false;
    const { next } = this;
    this.next = null;
    if (next !== null && !this.isClosed) void this.update(next);
  }

  private async readOnce(way: 'read' | 'watch'): Promise<void> {
    if (way === 'watch') this.watchedMs = Date.now();
    const setup = await this.withSession((token) => this.requests[way](token));
    if (this.isClosed) return;
    this.succeed();
    this.listener.onSetup(setup);
  }

  /** Makes a request with the token of the page; once more with another one if it is no longer valid. */
  private async withSession<Answer>(request: (token: string) => Promise<Answer>): Promise<Answer> {
    const { session } = this;
    if (session === null) throw new RequestFailure(401, null);
    return request(session.token).catch(async (error: unknown) => {
      if (!(error instanceof RequestFailure && error.isRefused)) throw error;
      if (!(await this.reopen()) || this.session === null) throw error;
      return request(this.session.token);
    });
  }

  /** Opens the link. @returns whether it is still there */
  private reopen(): Promise<boolean> {
    this.reopening ??= this.requests
      .exchange(this.token)
      .then(
        (session) => {
          this.use(session);
          return true;
        },
        (error: unknown) => {
          if (!(error instanceof RequestFailure && error.isRefused)) throw error;
          this.end();
          return false;
        },
      )
      .finally(() => (this.reopening = null));
    return this.reopening;
  }

  private use(session: SetupSessionToken): void {
    if (this.isClosed) return;
    this.session = session;
    // The token of a link is valid for as long as the link; one of a page only until it is renewed.
    if (this.token.startsWith('setup.')) this.token = session.token;
    this.listener.onSession(session.token);
  }

  /** Repeats a task until it succeeds or the connection is closed. */
  private async retry(task: () => Promise<void>): Promise<void> {
    while (!this.isClosed) {
      try {
        await task();
        return;
      } catch (error) {
        await this.pause(this.fail(error));
      }
    }
  }

  private succeed(): void {
    this.failures = 0;
    this.pausedUntilMs = 0;
    this.listener.onState('open');
  }

  /** @returns how long to wait */
  private fail(error: unknown): number {
    if (this.isClosed) return 0;
    const failure = error instanceof RequestFailure ? error : new RequestFailure(null, null);
    if (failure.isRefused) {
      // Also with a new token: the domain is gone.
      this.end();
      return 0;
    }
    // The pauses of many pages differ, or they would all come at once.
    const pauseMs = Math.min(MIN_PAUSE_MS * 2 ** this.failures++, MAX_PAUSE_MS) * (0.75 + Math.random() / 4);
    const waitMs = failure.retryAfterMs ?? pauseMs;
    this.pausedUntilMs = Date.now() + waitMs;
    this.listener.onState(failure.status === 429 ? 'limited' : 'offline');
    return waitMs;
  }

  private end(): void {
    if (this.isClosed) return;
    this.listener.onState('ended');
    this.close();
  }

  private get isClosed(): boolean {
    return this.closing.signal.aborted;
  }

  /** Ends early when the connection is closed, or the browser is online again. */
  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        removeEventListener('online', done);
        this.closing.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      addEventListener('online', done);
      this.closing.signal.addEventListener('abort', done);
      if (this.isClosed) done();
    });
  }
}
