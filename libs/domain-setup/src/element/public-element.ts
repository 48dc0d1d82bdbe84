import type { TextReplacements } from './merge-texts.js';

/**
 * `<pets-domain-setup>` as a page uses it: `api` and `token` of a link, or `setup`. It ignores values that do not parse.
 *
 * Events: `pets-setup-change` (detail: the states by name), `pets-setup-live`, `pets-setup-ended`, `pets-setup-provider` (detail:
 * `provider`, the id that the user chose), and `pets-setup-session` when
 * `token` has become another one that a page may keep for a reload.
 */
export interface PetsDomainSetup extends HTMLElement {
  /** The set-up that is shown, as `GET /v1/setup` answers it; null before anything is known. */
  get setup(): object | null;
  set setup(value: unknown);
  /** The address of the API, such as `https://pets.example`. */
  get api(): string | null;
  set api(value: unknown);
  /** The token of the link, which is after `#`; then one that is valid for an hour. */
  get token(): string | null;
  set token(value: unknown);
  /** Texts to show instead of the original ones. */
  set texts(value: TextReplacements);
  /** `limited` (too many requests) and `offline` continue without a click. */
  readonly link: 'loading' | 'open' | 'limited' | 'offline' | 'ended';
}
