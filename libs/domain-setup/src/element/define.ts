import { DomainSetupElement } from './domain-setup-element.js';

export type { ShownSetup } from '../shown-domain.js';
export type { DomainSetupElement } from './domain-setup-element.js';
export { isSafeLink } from './dom.js';

/** Makes `<pets-domain-setup>` known to the page; a second call does nothing. */
export function defineDomainSetup(): void {
  if (customElements.get('pets-domain-setup') === undefined)
    customElements.define('pets-domain-setup', DomainSetupElement);
}
