import type { Domain } from '@pets/contracts';
import { Table } from '@mantine/core';
import { Section } from '../parts/section.js';
import { strings } from '../strings.js';

/** What the name servers said at the last check. */
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
