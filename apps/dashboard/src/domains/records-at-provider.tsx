import { NativeSelect } from '@mantine/core';
import type { Domain, DomainIssue } from '@pets/contracts';
import { anyProvider, providerById, providerOf, providers, type DnsProvider } from '@pets/dns-providers';
import { useState } from 'react';
import { ExternalLink } from '../components/external-link.js';
import { formatTime } from '../format.js';
import { fullName, hasChanges, zoneLines, type ZoneLine } from './zone-lines.js';
import { ZoneList } from './zone-list.js';
import { zoneStrings } from './zone-strings.js';

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
        label={zoneStrings.records}
        lines={lines}
        provider={provider}
        until={untilOf(domains.flatMap(({ issues }) => issues))}
      />
      <Hints domain={first} lines={lines} provider={provider} />
    </>
  );
}

/** When the last cached copy of old records expires. */
function untilOf(issues: readonly DomainIssue[]): string | null {
  const at = issues.map(({ evidence }) => evidence['expectedBy']).find((time) => typeof time === 'string');
  return at === undefined ? null : formatTime(at);
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
        label={zoneStrings.provider}
        value={provider.id}
        onChange={({ currentTarget: { value } }) => choose(value)}
        data={[...providers, anyProvider].map(({ id, label }) => ({ value: id, label }))}
      />
      <p>
        {detected !== null && `${zoneStrings.hostedBy(apexName, detected.label)} `}
        {detected === null && nameServers.length > 0 && `${zoneStrings.unknownHost(apexName, nameServers.join(', '))} `}
        {provider.navigation}{' '}
        {provider.link !== null && <ExternalLink href={provider.link}>{zoneStrings.open(provider.label)}</ExternalLink>}
      </p>
    </div>
  );
}

interface HintsProps {
  readonly domain: Domain;
  readonly lines: readonly ZoneLine[];
  readonly provider: DnsProvider;
}

/** Advice about what is easily done wrong at the provider. */
function Hints({ domain: { apexName }, lines, provider }: HintsProps) {
  const entered = lines.filter(({ action }) => action === 'add' || action === 'change');
  if (entered.length === 0) return null;
  const has = (test: (line: ZoneLine) => boolean) => entered.some(test);
  const named = entered.find(({ record, purpose }) => record.name !== '@' && purpose !== 'caa');
  const isKnown = provider !== anyProvider && provider.lookedAt !== null;
  const hasAddresses = has(({ alternatives }) => alternatives.length > 0);
  const hints = [
    named && zoneStrings.names(isKnown ? provider.label : null, apexName, fullName(named.record.name, apexName)),
    has(({ record }) => record.name === '@') && zoneStrings.apex(apexName, provider.apexName),
    provider.appendsZone && has(({ record }) => record.type === 'CNAME') && zoneStrings.dots(provider.label),
    has(({ purpose }) => purpose === 'ownership') &&
      `${zoneStrings.proof}${hasAddresses ? ` ${zoneStrings.proofOfAddresses}` : ''}`,
    provider.apexType === 'ALIAS or ANAME' && has(({ record }) => record.type === 'ALIAS') && zoneStrings.aliasNames,
    provider.groupsValues && hasAddresses && zoneStrings.grouped(provider.label),
    has(({ purpose }) => purpose === 'caa') && zoneStrings.caa,
    has(({ purpose }) => purpose === 'routing') && !lines.some(({ action }) => action === 'delete') && provider.caution,
  ].filter((hint) => typeof hint === 'string');
  return (
    <ul className="hints">
      {hints.map((hint) => (
        <li key={hint}>{hint}</li>
      ))}
    </ul>
  );
}
