import { SetupView } from './setup-view.js';

export type { ShownDomain, ShownSetup } from '../shown-domain.js';
export type { TextReplacements } from './merge-texts.js';
export type { SetupView } from './setup-view.js';

/** Makes `<pets-domain-setup>` known to a page that opens no link; a second call does nothing. */
export function defineSetupView(): void {
  if (customElements.get('pets-domain-setup') === undefined) customElements.define('pets-domain-setup', SetupView);
}
