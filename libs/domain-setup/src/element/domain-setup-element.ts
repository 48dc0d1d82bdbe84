import type { ShownSetup } from '../shown-domain.js';
import { WATCH_INTERVAL_MS, whileLooking } from '../watching.js';
import { parseSetup } from './parse-setup.js';
import type { PetsDomainSetup } from './public-element.js';
import { SetupConnection, type LinkState } from './setup-connection.js';
import { SetupView, TICK_MS } from './setup-view.js';
import { hasWork } from './view.js';

/**
 * `<pets-domain-setup>`: the records of a domain, their checks and the way to live, for whoever runs its DNS.
 *
 * A page gives it either the property `setup`, or `api` and `token`, as attributes or properties: then it opens the link, reads,
 * checks and follows it. Events: those of `SetupView`, `pets-setup-ended`, and `pets-setup-session` when the property `token` has
 * become another one that a page may keep for a reload.
 */
export class DomainSetupElement extends SetupView implements PetsDomainSetup {
  static readonly observedAttributes = ['api', 'token'];

  #link: LinkState = 'loading';
  #api: string | null = null;
  #token: string | null = null;
  #connection: SetupConnection | null = null;
  #stopLooking: (() => void) | null = null;
  #isStarting = false;

  /** The address of the API, such as `https://pets.example`. */
  get api(): string | null {
    return this.#api;
  }

  set api(value: unknown) {
    this.#api = parseApi(value) ?? this.#api;
    this.#restart();
  }

  /** The token of the link, then one that is valid for an hour. */
  get token(): string | null {
    return this.#token;
  }

  set token(value: unknown) {
    if (typeof value !== 'string' || value === '') return;
    if (value !== this.#token) this.forget();
    this.#token = value;
    this.#restart();
  }

  /** Whether the link is open, cannot be reached, or has ended. */
  override get link(): LinkState {
    return this.#link;
  }

  attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
    if (name === 'api') this.api = value;
    else this.token = value;
  }

  override connectedCallback(): void {
    this.upgrade('api', 'token');
    super.connectedCallback();
    this.#restart();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop();
  }

  protected override get nextWatchMs(): number | null {
    if (this.#stopLooking === null || this.setup === null || !hasWorkOrWaits(this.setup)) return null;
    const nextMs = (this.#connection?.lastWatchMs ?? 0) + WATCH_INTERVAL_MS;
    // Nobody looks when the time has passed.
    return nextMs > Date.now() - TICK_MS ? nextMs : null;
  }

  protected override forget(): void {
    super.forget();
    this.#link = 'loading';
  }

  /** Once for all that a page sets at the same time. */
  #restart(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    queueMicrotask(() => {
      this.#isStarting = false;
      this.#stop();
      if (this.isConnected) this.#start();
    });
  }

  #start(): void {
    if (this.#api === null || this.#token === null) return;
    this.#link = 'loading';
    const connection = new SetupConnection(this.#api, this.#token, {
      onSetup: (value) => {
        const setup = parseSetup(value);
        if (setup === null || this.#connection !== connection) return;
        this.show(setup);
        this.#stopLooking ??= whileLooking(() => {
          if (this.setup !== null && hasWorkOrWaits(this.setup)) connection.watch();
        });
      },
      onState: (state) => this.#connection === connection && this.#changeLink(state),
      onSession: (token) => {
        if (this.#connection !== connection) return;
        this.#token = token;
        this.dispatch('pets-setup-session');
      },
    });
    this.#connection = connection;
    connection.start();
    this.render();
  }

  #stop(): void {
    this.#stopLooking?.();
    this.#stopLooking = null;
    this.#connection?.close();
    this.#connection = null;
  }

  #changeLink(state: LinkState): void {
    if (state === this.#link) return;
    this.#link = state;
    const { link } = this.texts;
    if (state !== 'open' && state !== 'loading') this.announce(link[state]);
    this.render();
    if (state !== 'ended') return;
    this.#stop();
    this.dispatch('pets-setup-ended');
  }
}

/** Whether a check may find something that a page waits for. */
function hasWorkOrWaits(setup: ShownSetup): boolean {
  return hasWork(setup) || setup.domains.some(({ state }) => state !== 'live');
}

/** An address without a slash at its end; null for what is no address of a server. */
function parseApi(value: unknown): string | null {
  if (typeof value !== 'string' || !URL.canParse(value, document.baseURI)) return null;
  const { protocol, origin, pathname } = new URL(value, document.baseURI);
  return ['https:', 'http:'].includes(protocol) ? `${origin}${pathname.replace(/\/$/, '')}` : null;
}
