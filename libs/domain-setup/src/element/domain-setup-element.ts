import { anyProvider, providerById, providerOf } from '@pets/dns-providers';
import { followDeletions } from '../former-records.js';
import { statusOf } from '../status.js';
import type { ShownSetup } from '../shown-domain.js';
import { setupTexts, type SetupTexts } from '../texts.js';
import { WATCH_INTERVAL_MS, whileLooking } from '../watching.js';
import type { ZoneLine } from '../zone-lines.js';
import { h, patch } from './dom.js';
import { mergeTexts, type TextReplacements } from './merge-texts.js';
import { parseSetup } from './parse-setup.js';
import type { PetsDomainSetup } from './public-element.js';
import { SetupConnection, type LinkState } from './setup-connection.js';
import { stepsText } from './steps-text.js';
import { styleSheet } from './styles.js';
import { SHARE_KEY } from './card-view.js';
import { hasWork, view, type Model } from './view.js';

const COPIED_MS = 2_000;
const TICK_MS = 1_000;

/**
 * `<pets-domain-setup>`: the records of a domain, their checks and the way to live, for whoever runs its DNS.
 *
 * A page gives it either the property `setup`, or `api` and `token`, as attributes or properties: then it opens the link, reads,
 * checks and follows it. Events: `pets-setup-change` (detail: the states by name), `pets-setup-live`, `pets-setup-ended`, and
 * `pets-setup-session` when the property `token` has become another one that a page may keep for a reload.
 */
export class DomainSetupElement extends HTMLElement implements PetsDomainSetup {
  static readonly observedAttributes = ['api', 'token'];

  readonly #root = this.attachShadow({ mode: 'open' });
  #setup: ShownSetup | null = null;
  #texts: SetupTexts = setupTexts;
  #link: LinkState = 'loading';
  #api: string | null = null;
  #token: string | null = null;
  #connection: SetupConnection | null = null;
  #stopLooking: (() => void) | null = null;
  #ticking: ReturnType<typeof setInterval> | undefined;
  #isStarting = false;
  #readAtMs = 0;
  #chosen: string | null = null;
  #hadWork = false;
  #former: ReadonlyMap<string, readonly ZoneLine[]> = new Map();
  #isLive = false;
  #states = '';
  #copied: string | null = null;
  #copying: ReturnType<typeof setTimeout> | undefined;
  #announcement = '';
  #hasCopyFailed = false;
  #phase = '';

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [styleSheet()];
  }

  /** The set-up that is shown. A page may set it; any other value is ignored. */
  get setup(): ShownSetup | null {
    return this.#setup;
  }

  set setup(value: unknown) {
    const setup = parseSetup(value);
    if (setup !== null) this.#show(setup);
  }

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
    if (value !== this.#token) this.#forget();
    this.#token = value;
    this.#restart();
  }

  /** Texts to show instead of the original ones. */
  get texts(): SetupTexts {
    return this.#texts;
  }

  set texts(value: TextReplacements) {
    this.#texts = mergeTexts(value);
    this.#render();
  }

  /** Whether the link is open, cannot be reached, or has ended. */
  get link(): LinkState {
    return this.#link;
  }

  attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
    if (name === 'api') this.api = value;
    else this.token = value;
  }

  connectedCallback(): void {
    for (const name of ['texts', 'setup', 'api', 'token'] as const) this.#upgrade(name);
    this.#ticking = setInterval(() => document.visibilityState === 'visible' && this.#render(), TICK_MS);
    this.#render();
    this.#restart();
  }

  disconnectedCallback(): void {
    clearInterval(this.#ticking);
    this.#stop();
  }

  /** A page may have set a property before this class was there. */
  #upgrade(name: 'texts' | 'setup' | 'api' | 'token'): void {
    if (!Object.hasOwn(this, name)) return;
    const value: unknown = Object.getOwnPropertyDescriptor(this, name)?.value;
    Reflect.deleteProperty(this, name);
    Object.assign(this, { [name]: value });
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

  /** Removes everything that is known of another link. */
  #forget(): void {
    this.#setup = null;
    this.#chosen = null;
    this.#hadWork = false;
    this.#former = new Map();
    this.#isLive = false;
    this.#states = '';
    this.#phase = '';
    this.#link = 'loading';
  }

  #start(): void {
    if (this.#api === null || this.#token === null) return;
    this.#link = 'loading';
    const connection = new SetupConnection(this.#api, this.#token, {
      onSetup: (value) => {
        const setup = parseSetup(value);
        if (setup === null || this.#connection !== connection) return;
        this.#show(setup);
        this.#stopLooking ??= whileLooking(() => {
          if (this.#setup !== null && hasWorkOrWaits(this.#setup)) connection.watch();
        });
      },
      onState: (state) => this.#connection === connection && this.#changeLink(state),
      onSession: (token) => {
        if (this.#connection !== connection) return;
        this.#token = token;
        this.#dispatch('pets-setup-session');
      },
    });
    this.#connection = connection;
    connection.start();
    this.#render();
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
    const { link } = this.#texts;
    if (state !== 'open' && state !== 'loading') this.#announcement = link[state];
    this.#render();
    if (state !== 'ended') return;
    this.#stop();
    this.#dispatch('pets-setup-ended');
  }

  #show(setup: ShownSetup): void {
    const before = this.#setup;
    this.#setup = setup;
    this.#readAtMs = Date.now();
    this.#hadWork ||= hasWork(setup) || setup.domains.some(({ state }) => state === 'verified');
    const former = this.#former;
    this.#former = new Map(
      setup.domains.map((domain) => [domain.name, followDeletions(former.get(domain.name) ?? [], domain)]),
    );
    const texts = this.#texts;
    const statusTexts = ({ domains }: ShownSetup) =>
      domains.map((domain) => texts.nowIs(domain.unicodeName, statusOf(domain, texts).text));
    const known = before === null ? statusTexts(setup) : statusTexts(before);
    const changed = statusTexts(setup).filter((text) => !known.includes(text));
    if (changed.length > 0) this.#announcement = changed.join(' ');
    this.#render();
    const states = Object.fromEntries(setup.domains.map(({ name, state }) => [name, state]));
    if (JSON.stringify(states) === this.#states) return;
    this.#states = JSON.stringify(states);
    this.#dispatch('pets-setup-change', states);
    const wasLive = this.#isLive;
    this.#isLive = setup.domains.every(({ state }) => state === 'live');
    if (this.#isLive && !wasLive) this.#dispatch('pets-setup-live', states);
  }

  #dispatch(type: string, detail: Readonly<Record<string, string>> | null = null): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  #render(): void {
    if (!this.isConnected) return;
    const card = this.#root.querySelector<HTMLElement>('.card');
    const phase = `${this.#states} ${this.#hadWork}`;
    // Nothing below the card moves while a domain goes live.
    if (card !== null && phase !== this.#phase && this.#phase !== '') card.style.minHeight = `${card.offsetHeight}px`;
    if (this.#setup !== null) this.#phase = phase;
    const focused = this.#root.activeElement;
    patch(this.#root, [
      h('div', { class: 'root', part: 'root' }, ...view(this.#model())),
      h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' }, this.#announcement),
    ]);
    // A control that is gone would leave the focus at the top of the page.
    if (focused !== null && !focused.isConnected)
      this.#root.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
  }

  #model(): Model {
    const setup = this.#setup;
    const detected = providerOf(setup?.domains[0]?.dns.nameServers ?? []);
    const isWatching = this.#stopLooking !== null && setup !== null && hasWorkOrWaits(setup);
    const nextWatchMs = (this.#connection?.lastWatchMs ?? 0) + WATCH_INTERVAL_MS;
    return {
      ...{ setup, detected, link: this.#link, texts: this.#texts, readAtMs: this.#readAtMs, hadWork: this.#hadWork },
      former: this.#former,
      hasCopyFailed: this.#hasCopyFailed,
      provider: this.#chosen === null ? (detected ?? anyProvider) : providerById(this.#chosen),
      now: new Date(),
      // Nobody looks when the time has passed.
      nextWatchMs: isWatching && nextWatchMs > Date.now() - TICK_MS ? nextWatchMs : null,
      copy: { copied: this.#copied, copy: (key, what, value) => void this.#copy(key, what, value) },
      onProvider: (id) => {
        this.#chosen = id;
        this.#render();
      },
      onShare: () => void this.#share(),
    };
  }

  #share(): Promise<void> {
    const { domains } = this.#setup ?? { domains: [] };
    const { share } = this.#texts;
    return this.#copy(SHARE_KEY, share.done, stepsText(domains, this.#model().provider, this.#texts));
  }

  /** `navigator.clipboard` exists only in a secure context. */
  async #copy(key: string, what: string, value: string): Promise<void> {
    const { copy } = this.#texts;
    try {
      await navigator.clipboard.writeText(value);
      this.#copied = key;
      this.#hasCopyFailed = false;
      this.#announcement = key === SHARE_KEY ? what : copy.doneLabel(what);
    } catch {
      this.#announcement = copy.failed;
      this.#hasCopyFailed = true;
    }
    this.#render();
    clearTimeout(this.#copying);
    this.#copying = setTimeout(() => {
      this.#copied = null;
      this.#render();
    }, COPIED_MS);
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
