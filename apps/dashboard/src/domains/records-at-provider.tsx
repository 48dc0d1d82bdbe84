import { NativeSelect } from '@mantine/core';
import type { Domain } from '@pets/contracts';
import { anyProvider, providerById, providerOf, providers, type DnsProvider } from '@pets/dns-providers';
import { hasChanges, hintsOf, providerText, setupTexts, untilOf, zoneLines, type ZoneLine } from '@pets/domain-setup';
import { useState } from 'react';
import { ExternalLink } from '../components/external-link.js';
import { ZoneList } from './zone-list.js';

const { zone } = setupTexts;

/** The provider of the zone, as detected or as the user says. */
export function useProvider({ dns }: Pick<Domain, 'dns'>) {
  const [chosen, choose] = useState<string | null>(null);
  const detected = providerOf(dns.nameServers);
  const provider = chosen === null ? (detected ?? anyProvider) : providerById(chosen);
  return { provider, detected, choose };
}

export type ProviderChoice = ReturnType<typeof useProvider>;

interface RecordsAtProviderProps {
  /** A domain, or a pair. */
  readonly domains: readonly Domain[];
  readonly choice: ProviderChoice;
}

/** Changes to make at the DNS provider, in its words, and where. */
export function RecordsAtProvider({ domains, choice }: RecordsAtProviderProps) {
  const { provider } = choice;
  const lines = domains.flatMap(zoneLines);
  const [first] = domains;
  if (first === undefined) return null;
  return (
    <>
      {hasChanges(lines) && <Provider domain={first} choice={choice} />}
      <ZoneList
        label={zone.records}
        lines={lines}
        provider={provider}
        until={untilOf(domains.flatMap(({ issues }) => issues))}
      />
      <Hints domain={first} lines={lines} provider={provider} />
    </>
  );
}

interface ProviderProps {
  readonly domain: Domain;
  readonly choice: ProviderChoice;
}

function Provider({ domain: { apexName, dns }, choice: { provider, detected, choose } }: ProviderProps) {
  const { nameServers } = dns;
  return (
    <div className="provider">
      <NativeSelect
        label={zone.provider}
        value={provider.id}
        onChange={({ currentTarget: { value } }) => choose(value)}
        data={[...providers, anyProvider].map(({ id, label }) => ({ value: id, label }))}
      />
      <p>
        {providerText(apexName, nameServers, { provider, detected })}{' '}
        {provider.link !== null && <ExternalLink href={provider.link}>{zone.open(provider.label)}</ExternalLink>}
      </p>
    </div>
  );
}

interface HintsProps {
  readonly domain: Domain;
  readonly lines: readonly ZoneLine[];
  readonly provider: DnsProvider;
}

function Hints({ domain: { apexName }, lines, provider }: HintsProps) {
  const hints = hintsOf(apexName, lines, provider);
  if (hints.length === 0) return null;
  return (
    <ul className="hints">
      {hints.map((hint) => (
        <li key={hint}>{hint}</li>
      ))}
    </ul>
  );
}
