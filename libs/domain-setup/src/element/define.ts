import { DomainSetupElement } from './domain-setup-element.js';

export type { DomainSetupElement } from './domain-setup-element.js';
export type { TextReplacements } from './merge-texts.js';
export type { ShownDomain, ShownSetup } from '../shown-domain.js';
export { isSafeLink } from './dom.js';

/** Makes `<pets-domain-setup>` known to the page; a second call does nothing. */
export function defineDomainSetup(): void {
  if (customElements.get('pets-domain-setup') === undefined)
    customElements.define('pets-domain-setup', DomainSetupElement);
}
