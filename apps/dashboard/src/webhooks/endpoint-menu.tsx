import type { OperationId, WebhookEndpoint } from '@pets/contracts';
import { ActionIcon, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { ConfirmRequest } from '../components/confirm-request.js';
import { NewSecret } from '../components/copy.js';
import { Dialog } from '../components/dialog.js';
import { useMay } from '../session/caller.js';
import { RotateSecret } from './rotate-secret.js';
import { webhookStrings } from './webhook-strings.js';
import { invalidateEndpoints } from './webhooks.queries.js';

export const endpointActions = [
  'testWebhookEndpoint',
  'updateWebhookEndpoint',
  'rotateWebhookSecret',
  'deleteWebhookEndpoint',
] as const satisfies readonly OperationId[];

interface EndpointMenuProps {
  readonly endpoint: WebhookEndpoint;
  /** The page shows the error of an action below its header. */
  readonly onError: (error: Error | null) => void;
}

/** The actions on an endpoint, for callers who may do them. Those that cannot be undone ask for confirmation. */
export function EndpointMenu({ endpoint, onError }: EndpointMenuProps) {
  const may = useMay();
  const { id, url, enabled } = endpoint;
  const button = useRef<HTMLButtonElement>(null);
  const [confirming, setConfirming] = useState<'rotate' | 'remove' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const path = { endpointId: id };
  const close = () => {
    setSecret(null);
    setConfirming(null);
  };
  const change = useEndpointChange(onError, async () => {
    await dataOf(api().PATCH('/v1/webhook-endpoints/{endpointId}', { params: { path }, body: { enabled: !enabled } }));
    announce(enabled ? webhookStrings.disabledNow(url) : webhookStrings.enabledNow(url));
  });
  const test = useEndpointChange(onError, async () => {
    await dataOf(api().POST('/v1/webhook-endpoints/{endpointId}/test', { params: { path } }));
    announce(webhookStrings.tested);
  });
  if (!may(...endpointActions)) return null;
  return (
    <div>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <ActionIcon ref={button} variant="default" size={36} aria-label={webhookStrings.menu(url)}>
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
      <Dialog
        opener={button}
        opened={confirming !== null}
        onClose={close}
        title={confirming === 'rotate' ? webhookStrings.rotateTitle : webhookStrings.removeTitle}
        isLocked={secret !== null}
      >
        {confirming === 'rotate' && secret === null && <RotateSecret endpoint={endpoint} onRotated={setSecret} />}
        {confirming === 'rotate' && secret !== null && (
          <NewSecret what={webhookStrings.secret} secret={secret} confirm={webhookStrings.saved} onClose={close} />
        )}
        {confirming === 'remove' && <ConfirmDeletion endpointId={id} onClose={close} />}
      </Dialog>
    </div>
  );
}

function ConfirmDeletion({ endpointId, onClose }: { readonly endpointId: string; readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <ConfirmRequest
      text={webhookStrings.removeText}
      label={webhookStrings.remove}
      request={() => dataOf(api().DELETE('/v1/webhook-endpoints/{endpointId}', { params: { path: { endpointId } } }))}
      onDone={async () => {
        onClose();
        navigate('/webhooks');
        announce(webhookStrings.removed);
        await invalidateEndpoints(queryClient);
      }}
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
    onSuccess: () => invalidateEndpoints(queryClient),
  });
}
