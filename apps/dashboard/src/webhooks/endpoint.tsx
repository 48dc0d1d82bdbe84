import { ActionIcon, Menu, NativeSelect, Text } from '@mantine/core';
import type { OperationId, WebhookEndpoint } from '@pets/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { api, dataOf } from '../api/api.js';
import { announce } from '../components/announcer.js';
import { Dialog } from '../components/dialog.js';
import { ActionForm, ConfirmRequest } from '../components/form.js';
import { Notice, StatusPill } from '../components/notice.js';
import { NewSecret } from '../components/secret-dialog.js';
import { Instant } from '../components/time.js';
import { useMay } from '../session/caller.js';
import { webhookStrings } from './webhook-strings.js';
import { invalidateEndpoints } from './webhooks.queries.js';

/** Whether an endpoint receives events: amber while its deliveries fail. */
export function EndpointState({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { enabled, disabledReason, failingSince, pausedAt, previousSecretUntil } = endpoint;
  if (!enabled) {
    const needsAction = disabledReason !== 'owner';
    return (
      <span>
        <StatusPill tone={needsAction ? 'warning' : 'neutral'}>{webhookStrings.disabled}</StatusPill>
        {disabledReason !== null && <small> {webhookStrings.reasons[disabledReason]}</small>}
      </span>
    );
  }
  if (pausedAt !== null) {
    return (
      <span>
        <StatusPill tone="warning">{webhookStrings.paused}</StatusPill>
        <small> {webhookStrings.pausedReason}</small>
      </span>
    );
  }
  return (
    <span>
      <StatusPill tone={failingSince === null ? 'good' : 'warning'}>
        {failingSince === null ? webhookStrings.enabled : webhookStrings.failing}
      </StatusPill>
      {failingSince !== null && (
        <small>
          {' '}
          {webhookStrings.since} <Instant at={failingSince} />
        </small>
      )}
      {previousSecretUntil !== null && (
        <small>
          {' '}
          {webhookStrings.bothSecrets} <Instant at={previousSecretUntil} mayBeAhead />
        </small>
      )}
    </span>
  );
}

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

const HOUR_SECONDS = 3_600;
const DEFAULT_HOURS = 24;

/** Hours for which both secrets are used; the API allows seven days at most. */
const overlaps = [0, 1, DEFAULT_HOURS, 72, 168] as const;

interface RotateSecretProps {
  readonly endpoint: WebhookEndpoint;
  readonly onRotated: (secret: string) => void;
}

/** Creates a new secret. The previous one signs as well for the chosen time. */
function RotateSecret({ endpoint: { id, previousSecretUntil }, onRotated }: RotateSecretProps) {
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
            {webhookStrings.thirdSecret} <Instant at={previousSecretUntil} mayBeAhead />.
          </p>
        </Notice>
      )}
    </ActionForm>
  );
}
