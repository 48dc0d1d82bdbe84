import type { WebhookEndpoint } from '@pets/contracts';
import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { NewSecret } from '../components/copy.js';
import { ErrorAlert } from '../components/error.js';
import { Confirmation, Dialog } from '../components/form.js';
import { webhookStrings } from './webhook-strings.js';
import { endpointsQuery } from './webhooks.queries.js';

/** The actions on an endpoint. Those that cannot be undone ask for confirmation. */
export function EndpointMenu({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { id, url, enabled } = endpoint;
  const [confirming, setConfirming] = useState<'rotate' | 'remove' | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const path = { endpointId: id };
  const change = useEndpointChange(setError, () =>
    dataOf(api().PATCH('/v1/webhook-endpoints/{endpointId}', { params: { path }, body: { enabled: !enabled } })),
  );
  const test = useEndpointChange(setError, async () => {
    await dataOf(api().POST('/v1/webhook-endpoints/{endpointId}/test', { params: { path } }));
    announce(webhookStrings.tested);
  });
  return (
    <div>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={webhookStrings.menu(url)}>
            <span aria-hidden="true">⋯</span>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => test.mutate()} disabled={!enabled}>
            {webhookStrings.test}
          </Menu.Item>
          <Menu.Item onClick={() => change.mutate()}>
            {enabled ? webhookStrings.disable : webhookStrings.enable}
          </Menu.Item>
          <Menu.Item onClick={() => setConfirming('rotate')}>{webhookStrings.rotate}</Menu.Item>
          <Menu.Item color="red" onClick={() => setConfirming('remove')}>
            {webhookStrings.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {error !== null && <ErrorAlert error={error} />}
      <Dialog
        opened={confirming !== null}
        onClose={() => setConfirming(null)}
        title={confirming === 'rotate' ? webhookStrings.rotateTitle : webhookStrings.removeTitle}
      >
        {confirming === 'rotate' && <ConfirmRotation endpointId={id} onClose={() => setConfirming(null)} />}
        {confirming === 'remove' && <ConfirmDeletion endpointId={id} onClose={() => setConfirming(null)} />}
      </Dialog>
    </div>
  );
}

interface ConfirmProps {
  readonly endpointId: string;
  readonly onClose: () => void;
}

function ConfirmRotation({ endpointId, onClose }: ConfirmProps) {
  const rotate = useMutation({
    mutationFn: () =>
      dataOf(api().POST('/v1/webhook-endpoints/{endpointId}/rotate-secret', { params: { path: { endpointId } } })),
  });
  if (rotate.data !== undefined)
    return <NewSecret what={webhookStrings.secret} secret={rotate.data.secret} onClose={onClose} />;
  return (
    <Confirmation
      text={webhookStrings.rotateText}
      label={webhookStrings.rotate}
      action={rotate}
      onConfirm={() => rotate.mutate()}
      onCancel={onClose}
    />
  );
}

function ConfirmDeletion({ endpointId, onClose }: ConfirmProps) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => dataOf(api().DELETE('/v1/webhook-endpoints/{endpointId}', { params: { path: { endpointId } } })),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ ...endpointsQuery, exact: true });
    },
  });
  return (
    <Confirmation
      text={webhookStrings.removeText}
      label={webhookStrings.remove}
      action={remove}
      isDestructive
      onConfirm={() => remove.mutate()}
      onCancel={onClose}
    />
  );
}

function useEndpointChange(onError: (error: Error | null) => void, mutationFn: () => Promise<unknown>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onMutate: () => onError(null),
    onError,
    onSuccess: () => queryClient.invalidateQueries(endpointsQuery),
  });
}
