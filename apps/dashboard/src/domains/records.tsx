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
  const isUsed = domain.certificate?.method === 'dns-01';
  const records = domain.records.filter(({ optional }) => optional !== true || (isUsed && domain.readiness === null));
  const hasAlias = records.some(({ type }) => type === 'ALIAS');
  const hasProof = records.some(({ purpose }) => purpose === 'ownership');
  return (
    <Section title={isPending ? strings.domains.records : strings.domains.recordsToKeep}>
      <Text>{isPending ? strings.domains.recordsText : strings.domains.recordsToKeepText}</Text>
      <RecordTable label={strings.domains.records} records={records} />
      {hasAlias && <Text size="sm">{strings.domains.aliasNote}</Text>}
      {hasProof && <Text size="sm">{strings.domains.proofNote}</Text>}
      {isPending && <ProviderInstructions domain={{ ...domain, records }} />}
    </Section>
  );
}

/** Before the switch: whether the DNS can be switched without an interruption, and the optional record for it. */
export function Preparation({ domain: { readiness, records } }: { readonly domain: Domain }) {
  if (readiness === null) return null;
  return (
    <Section title={strings.readiness.title}>
      <Text data-readiness={readiness.state}>
        <strong>{strings.readiness.states[readiness.state]}</strong> {readiness.message}
      </Text>
      <RecordTable label={strings.readiness.title} records={records.filter(({ optional }) => optional === true)} />
    </Section>
  );
}

function RecordTable({ label, records }: { readonly label: string; readonly records: readonly RequiredRecord[] }) {
  return (
    <div className="wide" tabIndex={0} role="region" aria-label={label}>
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
          {records.map((record) => (
            <RecordRow key={`${record.type} ${record.name}`} record={record} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
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

function RecordRow({ record: { type, name, value, ttl, purpose } }: { readonly record: RequiredRecord }) {
  const what = purpose === 'delegation' ? `${type}, ${strings.readiness.optional}` : type;
  return (
    <Table.Tr>
      <Table.Td>{type}</Table.Td>
      <Table.Td>
        <span className="value">{name}</span>{' '}
        <CopyValue what={`${strings.domains.recordName} (${what})`} value={name} />
      </Table.Td>
      <Table.Td>
        <span className="value">{value}</span>{' '}
        <CopyValue what={`${strings.domains.recordValue} (${what})`} value={value} />
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
