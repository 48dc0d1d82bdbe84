import type { WebhookEndpoint } from '@pets/contracts';
import { NativeSelect, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { ActionForm } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { Instant } from '../components/time.js';
import { webhookStrings } from './webhook-strings.js';
import { invalidateEndpoints } from './webhooks.queries.js';

const HOUR_SECONDS = 3_600;
const DEFAULT_HOURS = 24;

/** At most seven days, as the API allows. */
const overlaps = [0, 1, DEFAULT_HOURS, 72, 168] as const;

interface RotateSecretProps {
  readonly endpoint: WebhookEndpoint;
  readonly onRotated: (secret: string) => void;
}

/** Creates a new secret. The previous one signs as well for the chosen time. */
export function RotateSecret({ endpoint: { id, previousSecretUntil }, onRotated }: RotateSecretProps) {
  const queryClient = useQueryClient();
  const [hours, setHours] = useState<number>(DEFAULT_HOURS);
  const rotate = useMutation({
    mutationFn: () =>
      dataOf(
        api().POST('/v1/webhook-endpoints/{endpointId}/rotate-secret', {
          params: { path: { endpointId: id }, query: { overlapSeconds: hours * HOUR_SECONDS } },
        }),
      ),
    onSuccess: async ({ secret }) => {
      onRotated(secret);
      await invalidateEndpoints(queryClient);
    },
  });
  return (
    <ActionForm label={webhookStrings.rotate} action={rotate} onSubmit={() => rotate.mutate()}>
      <Text>{webhookStrings.rotateText}</Text>
      <NativeSelect
        label={webhookStrings.overlap}
        value={String(hours)}
        onChange={(event) => setHours(Number(event.currentTarget.value))}
        data={overlaps.map((value) => ({ value: String(value), label: webhookStrings.overlaps[value] }))}
        data-autofocus
      />
      {hours === 0 && <Notice tone="warning">{webhookStrings.noOverlap}</Notice>}
      {previousSecretUntil !== null && (
        <Notice tone="warning">
          <p>
            {webhookStrings.thirdSecret} <Instant at={previousSecretUntil} />.
          </p>
        </Notice>
      )}
    </ActionForm>
  );
}
