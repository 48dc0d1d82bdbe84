import { anyProvider, providers, type DnsProvider } from '@pets/dns-providers';
import type { ShownDomain } from '../shown-domain.js';
import type { SetupTexts } from '../texts.js';
import { providerText } from '../zone-form.js';
import { h, type ElementNode } from './dom.js';

/** The provider of the zone, as the user says or as detected. */
export interface ProviderChoice {
  readonly provider: DnsProvider;
  readonly detected: DnsProvider | null;
  readonly onProvider: (id: string) => void;
}

/** @param isDone whether nothing is left to do there; its place is kept */
export function providerChoice(
  { name, apexName, dns }: ShownDomain,
  isDone: boolean,
  { provider, detected, onProvider }: ProviderChoice,
  texts: SetupTexts,
): ElementNode {
  const { zone, newTab } = texts;
  return h(
    'div',
    { key: `provider ${name}`, class: 'provider', part: 'provider', 'data-done': isDone },
    h(
      'label',
      { key: 'choice' },
      zone.provider,
      h(
        'select',
        {
          value: provider.id,
          onchange: ({ currentTarget }) =>
            currentTarget instanceof HTMLSelectElement && onProvider(currentTarget.value),
        },
        ...[...providers, anyProvider].map(({ id, label }) => h('option', { key: id, value: id }, label)),
      ),
    ),
    h(
      'p',
      { key: 'text' },
      `${providerText(apexName, dns.nameServers, { provider, detected }, texts)} `,
      provider.link !== null &&
        h(
          'a',
          { key: 'open', href: provider.link, target: '_blank', rel: 'noopener noreferrer' },
          zone.open(provider.label),
          h('span', { class: 'hidden' }, ` (${newTab})`),
          h('span', { 'aria-hidden': 'true' }, '\u00a0↗'),
        ),
    ),
  );
}
