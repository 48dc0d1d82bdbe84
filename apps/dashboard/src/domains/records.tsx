import type { Domain, RequiredRecord } from '@pets/contracts';
import { NativeSelect, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyValue } from '../components/copy.js';
import { Section } from '../components/page.js';
import { strings } from '../strings.js';
import { instructionsFor, isProvider, providerOf, providers, type Provider } from './dns-providers.js';

/** The records to create at the DNS provider. While they are not correct, with instructions for the provider. */
export function RecordsToCreate({ domain }: { readonly domain: Domain }) {
  const isPending = domain.state === 'awaiting_dns' || domain.misconfigured;
  const hasAlias = domain.records.some(({ type }) => type === 'ALIAS');
  const hasProof = domain.records.some(({ purpose }) => purpose === 'ownership');
  return (
    <Section title={isPending ? strings.domains.records : strings.domains.recordsToKeep}>
      <Text>{isPending ? strings.domains.recordsText : strings.domains.recordsToKeepText}</Text>
      <div className="wide" tabIndex={0} role="region" aria-label={strings.domains.records}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{strings.domains.recordType}</Table.Th>
              <Table.Th>{strings.domains.recordName}</Table.Th>
              <Table.Th>{strings.domains.recordValue}</Table.Th>
              <Table.Th>{strings.domains.recordTtl}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {domain.records.map((record) => (
              <RecordRow key={`${record.type} ${record.name}`} record={record} />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {hasAlias && <Text size="sm">{strings.domains.aliasNote}</Text>}
      {hasProof && <Text size="sm">{strings.domains.proofNote}</Text>}
      {isPending && <ProviderInstructions domain={domain} />}
    </Section>
  );
}

function ProviderInstructions({ domain }: { readonly domain: Domain }) {
  const [chosen, setChosen] = useState<Provider | null>(null);
  const { nameServers } = domain.dns;
  const detected = providerOf(nameServers);
  const provider = chosen ?? detected?.provider ?? 'other';
  return (
    <>
      {nameServers.length > 0 && (
        <Text>
          {strings.domains.nameServersOf(detected?.label ?? null, domain.apexName)}{' '}
          <span className="value">{nameServers.join(', ')}</span>
        </Text>
      )}
      <NativeSelect
        label={strings.domains.provider}
        value={provider}
        onChange={({ currentTarget: { value } }) => isProvider(value) && setChosen(value)}
        data={Object.entries(providers).map(([value, { label }]) => ({ value, label }))}
      />
      <ol className="instructions">
        {instructionsFor(provider, domain).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ol>
    </>
  );
}

function RecordRow({ record: { type, name, value, ttl } }: { readonly record: RequiredRecord }) {
  return (
    <Table.Tr>
      <Table.Td>{type}</Table.Td>
      <Table.Td>
        <span className="value">{name}</span>{' '}
        <CopyValue what={`${strings.domains.recordName} (${type})`} value={name} />
      </Table.Td>
      <Table.Td>
        <span className="value">{value}</span>{' '}
        <CopyValue what={`${strings.domains.recordValue} (${type})`} value={value} />
      </Table.Td>
      <Table.Td>{ttl}</Table.Td>
    </Table.Tr>
  );
}

/** The records that name servers returned at the last check. */
export function ObservedRecords({ domain: { dns } }: { readonly domain: Domain }) {
  if (dns.observed.length === 0) return null;
  return (
    <Section title={strings.domains.observed}>
      <div className="wide" tabIndex={0} role="region" aria-label={strings.domains.observed}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{strings.domains.recordName}</Table.Th>
              <Table.Th>{strings.domains.recordType}</Table.Th>
              <Table.Th>{strings.domains.recordValue}</Table.Th>
              <Table.Th>{strings.domains.recordTtl}</Table.Th>
              <Table.Th>{strings.domains.resolver}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {dns.observed.map(({ name, type, value, ttl, resolver, omitted }) => (
              <Table.Tr key={`${resolver} ${name} ${type} ${value}`}>
                <Table.Td className="value">{name}</Table.Td>
                <Table.Td>{type}</Table.Td>
                <Table.Td className="value">
                  {value} {omitted !== undefined && strings.domains.omitted(omitted)}
                </Table.Td>
                <Table.Td>{ttl ?? strings.none}</Table.Td>
                <Table.Td className="value">{resolver}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </Section>
  );
}
