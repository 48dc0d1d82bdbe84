import { anyProvider, providerById, providerOf } from '@pets/dns-providers';
import { followDeletions } from '../former-records.js';
import { statusOf } from '../status.js';
import type { ShownSetup } from '../shown-domain.js';
import { setupTexts, type SetupTexts } from '../texts.js';
import type { ZoneLine } from '../zone-lines.js';
import { SHARE_KEY } from './card-view.js';
import { h, patch } from './dom.js';
import { mergeTexts, type TextReplacements } from './merge-texts.js';
import { parseSetup } from './parse-setup.js';
import type { LinkState } from './setup-connection.js';
import { stepsText } from './steps-text.js';
import { styleSheet } from './styles.js';
import { hasWork, view, type Model } from './view.js';

const COPIED_MS = 2_000;
export const TICK_MS = 1_000;

/**
 * `<pets-domain-setup>` without a link: draws what a page gives it as the property `setup`, as in the dashboard. Events:
 * `pets-setup-change` (detail: the states by name), `pets-setup-live`, and `pets-setup-provider` (detail: `provider`, the id) when
 * the user says who hosts the zone.
 */
export class SetupView extends HTMLElement {
  readonly #root = this.attachShadow({ mode: 'open' });
  #setup: ShownSetup | null = null;
  #texts: SetupTexts = setupTexts;
  #ticking: ReturnType<typeof setInterval> | undefined;
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
    if (setup !== null) this.show(setup);
  }

  /** Texts to show instead of the original ones. */
  get texts(): SetupTexts {
    return this.#texts;
  }

  set texts(value: TextReplacements) {
    this.#texts = mergeTexts(value);
    this.render();
  }

  /** Whether the link is open, cannot be reached, or has ended. */
  get link(): LinkState {
    return 'open';
  }

  connectedCallback(): void {
    this.upgrade('texts', 'setup');
    this.#ticking = setInterval(() => document.visibilityState === 'visible' && this.render(), TICK_MS);
    this.render();
  }

  disconnectedCallback(): void {
    clearInterval(this.#ticking);
  }

  /** When the API is asked to check next; null while nobody looks, or the page asks. */
  protected get nextWatchMs(): number | null {
    return null;
  }

  /** Sets properties again that a page has set before this class was there. */
  protected upgrade(...names: readonly string[]): void {
    for (const name of names) {
      if (!Object.hasOwn(this, name)) continue;
      const value: unknown = Object.getOwnPropertyDescriptor(this, name)?.value;
      Reflect.deleteProperty(this, name);
      Object.assign(this, { [name]: value });
    }
  }

  /** Removes everything that is known of another link. */
  protected forget(): void {
    this.#setup = null;
    this.#chosen = null;
    this.#hadWork = false;
    this.#former = new Map();
    this.#isLive = false;
    this.#states = '';
    this.#phase = '';
  }

  protected show(setup: ShownSetup): void {
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
    this.render();
    const states = Object.fromEntries(setup.domains.map(({ name, state }) => [name, state]));
    if (JSON.stringify(states) === this.#states) return;
    this.#states = JSON.stringify(states);
    this.dispatch('pets-setup-change', states);
    const wasLive = this.#isLive;
    this.#isLive = setup.domains.every(({ state }) => state === 'live');
    if (this.#isLive && !wasLive) this.dispatch('pets-setup-live', states);
  }

  /** Announces a text to screen readers, with the next rendering. */
  protected announce(text: string): void {
    this.#announcement = text;
  }

  protected dispatch(type: string, detail: Readonly<Record<string, string>> | null = null): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  protected render(): void {
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
    return {
      ...{ setup, detected, link: this.link, texts: this.#texts, readAtMs: this.#readAtMs, hadWork: this.#hadWork },
      former: this.#former,
      hasCopyFailed: this.#hasCopyFailed,
      provider: this.#chosen === null ? (detected ?? anyProvider) : providerById(this.#chosen),
      now: new Date(),
      nextWatchMs: this.nextWatchMs,
      copy: { copied: this.#copied, copy: (key, what, value) => void this.#copy(key, what, value) },
      onProvider: (id) => {
        this.#chosen = id;
        this.render();
        this.dispatch('pets-setup-provider', { provider: id });
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
    this.render();
    clearTimeout(this.#copying);
    this.#copying = setTimeout(() => {
      this.#copied = null;
      this.render();
    }, COPIED_MS);
  }
}
