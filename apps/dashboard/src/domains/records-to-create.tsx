import type { Domain, RequiredRecord } from '@pets/contracts';
import { NativeSelect, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyValue } from '../parts/copy-button.js';
import { Section } from '../parts/section.js';
import { strings } from '../strings.js';
import { providerOf } from './provider-of.js';
import { instructionsFor, isProvider, providers, type Provider } from './providers.js';

/**
 * The records at the DNS provider, ready to copy: while they are not right, with where one finds that there; once they
 * are, to be left alone.
 */
export function RecordsToCreate({ domain }: { readonly domain: Domain }) {
  const isToDo = domain.state === 'awaiting_dns' || domain.misconfigured;
  const hasAlias = domain.records.some(({ type }) => type === 'ALIAS');
  const hasProof = domain.records.some(({ purpose }) => purpose === 'ownership');
  return (
    <Section title={isToDo ? strings.domains.records : strings.domains.recordsToKeep}>
      <Text>{isToDo ? strings.domains.recordsText : strings.domains.recordsToKeepText}</Text>
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
      {isToDo && <ProviderInstructions domain={domain} />}
    </Section>
  );
}

/** Where one finds it at one's own provider, in the words of that provider. */
function ProviderInstructions({ domain }: { readonly domain: Domain }) {
  const [chosen, setChosen] = useState<Provider | null>(null);
  const { nameServers } = domain.dns;
  const recognised = providerOf(nameServers);
  const provider = chosen ?? recognised?.provider ?? 'other';
  return (
    <>
      {nameServers.length > 0 && (
        <Text>
          {strings.domains.nameServersOf(recognised?.label ?? null, domain.apexName)}{' '}
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
