/** The package on npm: importing it makes `<pets-domain-setup>` known to the page. */
import { defineDomainSetup } from './define.js';
import type { PetsDomainSetup } from './public-element.js';

export type { TextReplacements } from './merge-texts.js';
export type { PetsDomainSetup } from './public-element.js';

declare global {
  interface HTMLElementTagNameMap {
    'pets-domain-setup': PetsDomainSetup;
  }
}

defineDomainSetup();
