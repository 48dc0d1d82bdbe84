import type { Domain } from '@pets/contracts';
import { Text } from '@mantine/core';
import { Countdown } from '../parts/countdown.js';
import { FieldList } from '../parts/field-list.js';
import { Instant } from '../parts/instant.js';
import { strings } from '../strings.js';

/** When the DNS was looked at, and when it will be again. */
export function Checks({ domain: { dns, state } }: { readonly domain: Domain }) {
  const { checkedAt, nextCheckAt } = dns;
  return (
    <div>
      <FieldList
        fields={[
          [strings.domains.lastCheck, checkedAt === null ? strings.none : <Instant at={checkedAt} />],
          [strings.domains.nextCheck, nextCheckAt === null ? null : <Countdown until={nextCheckAt} />],
        ]}
      />
      {nextCheckAt === null && state === 'awaiting_dns' && <Text size="sm">{strings.domains.noNextCheck}</Text>}
    </div>
  );
}
