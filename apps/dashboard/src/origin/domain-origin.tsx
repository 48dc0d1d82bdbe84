import { Stack, Text } from '@mantine/core';
import type { Domain } from '@pets/contracts';
import { useQuery } from '@tanstack/react-query';
import { Loaded } from '../components/loaded.js';
import { Fold } from '../components/page.js';
import { useMay } from '../session/caller.js';
import { CurrentOrigin, OriginForm } from './origin-settings.js';
import { originStrings as text } from './origin-strings.js';
import { originQuery } from './origin.queries.js';

interface DomainOriginProps {
  readonly projectId: string;
  readonly domain: Domain;
}

/** The application that answers for one domain instead of what its project serves, and a form that sets it. */
export function DomainOrigin({ projectId, domain }: DomainOriginProps) {
  const may = useMay();
  const place = { projectId, domain: domain.id };
  const origin = useQuery(originQuery(place));
  return (
    <Fold title={text.ofDomain} hint={origin.data && text.states[origin.data.state]}>
      <Loaded query={origin}>
        {(current) => (
          <Stack gap="md">
            {current === null ? <Text>{text.noneOfDomain}</Text> : <CurrentOrigin place={place} origin={current} />}
            {may('putDomainOrigin') && <OriginForm key={current?.updatedAt ?? ''} place={place} current={current} />}
          </Stack>
        )}
      </Loaded>
    </Fold>
  );
}
