import type { DomainHistoryEntry } from '@pets/contracts';
import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Instant } from '../parts/instant.js';
import { Loaded } from '../parts/loaded.js';
import { Section } from '../parts/section.js';
import { strings } from '../strings.js';

/** What happened to a domain, by whom and why, newest first. */
export function History({ query }: { readonly query: UseQueryResult<DomainHistoryEntry[]> }) {
  return (
    <Section title={strings.domains.history}>
      <Loaded query={query}>
        {(entries) =>
          entries.length === 0 ? (
            <Text>{strings.domains.historyEmpty}</Text>
          ) : (
            <ul className="plain-list">
              {entries.toReversed().map(({ number, at, detail, actor }) => (
                <li key={number}>
                  <Text>{detail}</Text>
                  <Text size="sm" c="dimmed">
                    <Instant at={at} />, {actor.display ?? strings.domains.bySystem}
                  </Text>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  );
}
