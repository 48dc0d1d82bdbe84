import { webhookEventTypes } from '@pets/contracts';
import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, bodyOf } from '../api/api.js';
import { ActionForm } from '../parts/action-form.js';
import { Dialog } from '../parts/dialog.js';
import { NewSecret } from '../parts/new-secret.js';
import { strings } from '../strings.js';
import { endpointsQuery } from './webhooks.queries.js';

const words = strings.webhooks;

interface CreateEndpointProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

export function CreateEndpoint({ opened, onClose }: CreateEndpointProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={words.create} closeOnClickOutside={false}>
      <CreateEndpointForm onClose={onClose} />
    </Dialog>
  );
}

function CreateEndpointForm({ onClose }: Pick<CreateEndpointProps, 'onClose'>) {
  const queryClient = useQueryClient();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([...webhookEventTypes]);
  const [problem, setProblem] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: () =>
      bodyOf(
        api().POST('/v1/webhook-endpoints', {
          body: {
            url,
            description: description === '' ? null : description,
            eventTypes: webhookEventTypes.filter((type) => chosen.includes(type)),
            projectId: null,
          },
        }),
      ),
    onSuccess: () => queryClient.invalidateQueries(endpointsQuery),
  });
  if (create.data !== undefined) return <NewSecret what={words.secret} secret={create.data.secret} onClose={onClose} />;
  const submit = () => {
    setProblem(chosen.length === 0 ? words.needsType : null);
    if (chosen.length > 0) create.mutate();
  };
  return (
    <ActionForm label={words.create} action={create} onSubmit={submit}>
      <TextInput
        label={words.url}
        description={words.urlHint}
        type="url"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        required
        data-autofocus
      />
      <TextInput
        label={words.description}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        maxLength={255}
      />
      <Checkbox.Group label={words.eventTypes} value={[...chosen]} onChange={setChosen} error={problem}>
        <Stack gap="xs" mt="xs">
          {webhookEventTypes.map((type) => (
            <Checkbox key={type} value={type} label={type} />
          ))}
        </Stack>
      </Checkbox.Group>
    </ActionForm>
  );
}
