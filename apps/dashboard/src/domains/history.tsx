import type { DomainHistoryEntry } from '@pets/contracts';
import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { Loaded } from '../components/loaded.js';
import { Instant } from '../components/time.js';
import { localizeTimes } from '../format.js';
import { domainStrings } from './domain-strings.js';

/** Newest entry first. */
export function History({ query }: { readonly query: UseQueryResult<readonly DomainHistoryEntry[]> }) {
  return (
    <Loaded query={query}>
      {(entries) =>
        entries.length === 0 ? (
          <Text>{domainStrings.historyEmpty}</Text>
        ) : (
          <ul className="history">
            {entries.toReversed().map(({ number, at, detail, actor }) => (
              <li key={number}>
                <span>{localizeTimes(detail)}</span>
                <Text component="span" size="sm" c="dimmed">
                  <Instant at={at} />, {actor.display ?? domainStrings.bySystem}
                </Text>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}
