import type { Domain, RequiredRecord } from '@pets/contracts';
import { NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyValue } from '../components/copy.js';
import { Section } from '../components/page.js';
import { DataTable } from '../components/table.js';
import { localizeTimes } from '../format.js';
import { shortenValues } from './differences.js';
import { instructionsFor, isProvider, providerOf, providers, type Provider } from './dns-providers.js';
import { domainStrings, readinessStrings } from './domain-strings.js';

/** The records that a domain needs to go live, or to stay so. */
function neededRecords({ certificate, readiness, records }: Domain): readonly RequiredRecord[] {
  const isUsed = certificate?.method === 'dns-01';
  return records.filter((record) => !isPreparing(record) || (isUsed && readiness === null));
}

/** Whether a record only serves to get the certificate before the switch. */
function isPreparing({ purpose, optional }: RequiredRecord): boolean {
  return purpose === 'delegation' && optional === true;
}

/** The records to create at the DNS provider, with its instructions. */
export function RecordsToCreate({ domain }: { readonly domain: Domain }) {
  const records = neededRecords(domain);
  return (
    <Section title={domainStrings.records} isCard>
      <Text>{domainStrings.recordsText}</Text>
      <RecordTable label={domainStrings.records} records={records} />
      <RecordNotes records={records} />
      <ProviderInstructions domain={{ ...domain, records }} />
    </Section>
  );
}

/** The records of a live domain. */
export function RecordsToKeep({ domain }: { readonly domain: Domain }) {
  const records = neededRecords(domain);
  return (
    <>
      <Text>{domainStrings.recordsToKeepText}</Text>
      <RecordTable label={domainStrings.recordsToKeep} records={records} />
      <RecordNotes records={records} />
    </>
  );
}

function RecordNotes({ records }: { readonly records: readonly RequiredRecord[] }) {
  return (
    <>
      {records.some(({ type }) => type === 'ALIAS') && <Text size="sm">{domainStrings.aliasNote}</Text>}
      {records.some(({ purpose }) => purpose === 'ownership') && (
        <Text size="sm">
          {domainStrings.proofNote}
          {records.some(({ alternatives }) => alternatives !== undefined) && ` ${domainStrings.proofOfAddressesNote}`}
        </Text>
      )}
    </>
  );
}

/** Before the switch: whether the DNS can be switched without an interruption, and the optional record for it. */
export function Preparation({ domain: { readiness, records } }: { readonly domain: Domain }) {
  if (readiness === null) return null;
  const optional = records.filter(isPreparing);
  const { states, required } = readinessStrings;
  const isRequired = optional.length === 0 && readiness.state === 'waiting';
  const message = localizeTimes(shortenValues(readiness.message, optional, domainStrings.valueBelow));
  return (
    <Section title={readinessStrings.title} isCard>
      <Text data-readiness={readiness.state}>
        <strong>{isRequired ? required : states[readiness.state]}</strong> {message}
      </Text>
      {optional.length > 0 && <RecordTable label={readinessStrings.title} records={optional} />}
    </Section>
  );
}

function RecordTable({ label, records }: { readonly label: string; readonly records: readonly RequiredRecord[] }) {
  return (
    <div className="card" data-flush>
      <DataTable
        label={label}
        rows={records}
        keyOf={({ type, name }) => `${type} ${name}`}
        columns={[
          { header: domainStrings.recordType, kind: 'tight', cell: ({ type }) => type },
          {
            header: domainStrings.recordName,
            kind: 'tight',
            cell: (record) => <Copyable what={labelOf(domainStrings.recordName, record)} value={record.name} />,
          },
          {
            header: domainStrings.recordValue,
            cell: (record) => (
              <>
                <Copyable what={labelOf(domainStrings.recordValue, record)} value={record.value} />
                <Alternatives record={record} />
              </>
            ),
          },
          { header: domainStrings.recordTtl, kind: 'tight', cell: ({ ttl }) => ttl },
        ]}
      />
    </div>
  );
}

/** The addresses that may be created instead of a record. They are part of its row, which the other records follow. */
function Alternatives({ record: { type, alternatives } }: { readonly record: RequiredRecord }) {
  if (alternatives === undefined) return null;
  return (
    <div className="alternatives">
      <Text size="sm">{domainStrings.alternatives(type, alternatives.length)}</Text>
      <ul role="list">
        {alternatives.map((each) => (
          <li key={each.value}>
            <span>{each.type}</span>
            <Copyable what={`${domainStrings.recordValue} (${each.type} ${each.value})`} value={each.value} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** "Value (CNAME)". */
function labelOf(field: string, { type, optional }: RequiredRecord): string {
  return `${field} (${optional === true ? `${type}, ${readinessStrings.optional}` : type})`;
}

/** `what` is the subject of the accessible name of the button. */
function Copyable({ what, value }: { readonly what: string; readonly value: string }) {
  return (
    <span className="copyable">
      <span className="value">{value}</span>
      <CopyValue what={what} value={value} />
    </span>
  );
}

function ProviderInstructions({ domain }: { readonly domain: Domain }) {
  const [chosen, setChosen] = useState<Provider | null>(null);
  const { nameServers } = domain.dns;
  const detected = providerOf(nameServers);
  const provider = chosen ?? detected?.provider ?? 'other';
  return (
    <div className="provider">
      <NativeSelect
        label={domainStrings.provider}
        value={provider}
        onChange={({ currentTarget: { value } }) => isProvider(value) && setChosen(value)}
        data={Object.entries(providers).map(([value, { label }]) => ({ value, label }))}
      />
      <div>
        {nameServers.length > 0 && (
          <Text mb="xs">
            {domainStrings.nameServersOf(detected?.label ?? null, domain.apexName)}{' '}
            <span className="value">{nameServers.join(', ')}</span>
          </Text>
        )}
        <ol className="instructions">
          {instructionsFor(provider, domain).map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ol>
      </div>
    </div>
  );
}

/** The records that name servers returned at the last check. */
export function ObservedRecords({ domain: { dns } }: { readonly domain: Domain }) {
  return (
    <DataTable
      label={domainStrings.observed}
      rows={dns.observed}
      keyOf={({ resolver, name, type, value }) => `${resolver} ${name} ${type} ${value}`}
      columns={[
        { header: domainStrings.recordName, cell: ({ name }) => <span className="value">{name}</span> },
        { header: domainStrings.recordType, kind: 'tight', cell: ({ type }) => type },
        {
          header: domainStrings.recordValue,
          cell: ({ value, omitted }) => (
            <span className="value">
              {value} {omitted !== undefined && domainStrings.omitted(omitted)}
            </span>
          ),
        },
        { header: domainStrings.recordTtl, kind: 'tight', cell: ({ ttl }) => ttl ?? '–' },
        { header: domainStrings.resolver, cell: ({ resolver }) => <span className="value">{resolver}</span> },
      ]}
    />
  );
}
