import type { WebhookEndpoint } from '@pets/contracts';
import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, bodyOf } from '../api/api.js';
import { announce } from '../parts/announcer.js';
import { Dialog } from '../parts/dialog.js';
import { Failure } from '../parts/failure.js';
import { NewSecret } from '../parts/new-secret.js';
import { strings } from '../strings.js';
import { endpointsQuery } from './webhooks.queries.js';

const words = strings.webhooks;

type Question = 'rotate' | 'remove';

/** What can be done with an endpoint. What cannot be undone is asked first. */
export function EndpointMenu({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { id, url, enabled } = endpoint;
  const [question, setQuestion] = useState<Question | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const path = { endpointId: id };
  const change = useEndpointChange(setProblem, () =>
    bodyOf(api().PATCH('/v1/webhook-endpoints/{endpointId}', { params: { path }, body: { enabled: !enabled } })),
  );
  const test = useEndpointChange(setProblem, async () => {
    await bodyOf(api().POST('/v1/webhook-endpoints/{endpointId}/test', { params: { path } }));
    announce(words.tested);
  });
  return (
    <div>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size="lg" aria-label={words.menu(url)}>
            <span aria-hidden="true">⋯</span>
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => test.mutate()} disabled={!enabled}>
            {words.test}
          </Menu.Item>
          <Menu.Item onClick={() => change.mutate()}>{enabled ? words.disable : words.enable}</Menu.Item>
          <Menu.Item onClick={() => setQuestion('rotate')}>{words.rotate}</Menu.Item>
          <Menu.Item color="red" onClick={() => setQuestion('remove')}>
            {words.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {problem !== null && <Failure error={problem} />}
      <Dialog
        opened={question !== null}
        onClose={() => setQuestion(null)}
        title={question === 'rotate' ? words.rotateTitle : words.removeTitle}
      >
        {question === 'rotate' && <ConfirmRotation endpointId={id} onClose={() => setQuestion(null)} />}
        {question === 'remove' && <ConfirmDeletion endpointId={id} onClose={() => setQuestion(null)} />}
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
      bodyOf(api().POST('/v1/webhook-endpoints/{endpointId}/rotate-secret', { params: { path: { endpointId } } })),
  });
  if (rotate.data !== undefined) return <NewSecret what={words.secret} secret={rotate.data.secret} onClose={onClose} />;
  return (
    <Confirmation text={words.rotateText} error={rotate.error} onClose={onClose}>
      <Button loading={rotate.isPending} onClick={() => rotate.mutate()}>
        {words.rotate}
      </Button>
    </Confirmation>
  );
}

function ConfirmDeletion({ endpointId, onClose }: ConfirmProps) {
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => bodyOf(api().DELETE('/v1/webhook-endpoints/{endpointId}', { params: { path: { endpointId } } })),
    onSuccess: async () => {
      onClose();
      await queryClient.invalidateQueries({ ...endpointsQuery, exact: true });
    },
  });
  return (
    <Confirmation text={words.removeText} error={remove.error} onClose={onClose}>
      <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
        {words.remove}
      </Button>
    </Confirmation>
  );
}

interface ConfirmationProps {
  readonly text: string;
  readonly error: Error | null;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

function Confirmation({ text, error, onClose, children }: ConfirmationProps) {
  return (
    <Stack gap="md">
      <Text>{text}</Text>
      {error !== null && <Failure error={error} />}
      <Group justify="end">
        <Button variant="default" onClick={onClose} data-autofocus>
          {strings.cancel}
        </Button>
        {children}
      </Group>
    </Stack>
  );
}

function useEndpointChange(onProblem: (error: Error | null) => void, mutationFn: () => Promise<unknown>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn,
    onMutate: () => onProblem(null),
    onError: onProblem,
    onSuccess: () => queryClient.invalidateQueries(endpointsQuery),
  });
}
