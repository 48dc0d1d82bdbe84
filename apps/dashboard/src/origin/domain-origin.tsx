import { Stack, Text } from '@mantine/core';
import type { Domain, Origin } from '@pets/contracts';
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
export function DomainOrigin({ projectId, domain: { id, originId } }: DomainOriginProps) {
  const may = useMay();
  const place = { projectId, domain: id };
  const hasOwn = originId !== null;
  const origin = useQuery({ ...originQuery(place), enabled: hasOwn });
  const settings = (current: Origin | null) => (
    <Stack gap="md">
      {current === null ? <Text>{text.noneOfDomain}</Text> : <CurrentOrigin place={place} origin={current} />}
      {may('putDomainOrigin') && <OriginForm key={current?.updatedAt ?? ''} place={place} current={current} />}
    </Stack>
  );
  return (
    <Fold title={text.ofDomain} hint={hasOwn && origin.data ? text.states[origin.data.state] : undefined}>
      {hasOwn ? <Loaded query={origin}>{settings}</Loaded> : settings(null)}
    </Fold>
  );
}
