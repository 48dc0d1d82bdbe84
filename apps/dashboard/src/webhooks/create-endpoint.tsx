import { webhookEventTypes } from '@pets/contracts';
import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { ActionForm } from '../components/form.js';
import { SecretDialog } from '../components/secret-dialog.js';
import { webhookStrings } from './webhook-strings.js';
import { invalidateEndpoints } from './webhooks.queries.js';

interface CreateEndpointProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates an endpoint. While its secret is shown, only its button closes the dialog. */
export function CreateEndpoint(props: CreateEndpointProps) {
  return (
    <SecretDialog
      {...props}
      title={webhookStrings.create}
      what={webhookStrings.secret}
      confirm={webhookStrings.saved}
      form={(onCreated) => <CreateEndpointForm onCreated={onCreated} />}
    />
  );
}

function CreateEndpointForm({ onCreated }: { readonly onCreated: (secret: string) => void }) {
  const queryClient = useQueryClient();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([...webhookEventTypes]);
  const [validationError, setValidationError] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: () =>
      dataOf(
        api().POST('/v1/webhook-endpoints', {
          body: {
            url,
            description: description === '' ? null : description,
            eventTypes: webhookEventTypes.filter((type) => chosen.includes(type)),
            projectId: null,
          },
        }),
      ),
    onSuccess: async ({ secret }) => {
      onCreated(secret);
      await invalidateEndpoints(queryClient);
    },
  });
  const submit = () => {
    setValidationError(chosen.length === 0 ? webhookStrings.needsType : null);
    if (chosen.length > 0) create.mutate();
  };
  const { texts, isAtField } = fieldErrorsOf(create.error, ['url', 'description', 'eventTypes']);
  return (
    <ActionForm label={webhookStrings.create} action={create} onSubmit={submit} isErrorAtField={isAtField}>
      <TextInput
        label={webhookStrings.url}
        description={webhookStrings.urlHint}
        type="url"
        value={url}
        onChange={(event) => setUrl(event.currentTarget.value)}
        error={texts.url}
        required
        data-autofocus
      />
      <TextInput
        label={webhookStrings.description}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
        maxLength={255}
        error={texts.description}
      />
      <Checkbox.Group
        label={webhookStrings.eventTypes}
        value={[...chosen]}
        onChange={setChosen}
        error={validationError ?? texts.eventTypes}
      >
        <Stack gap="xs" mt="xs">
          {webhookEventTypes.map((type) => (
            <Checkbox key={type} value={type} label={type} />
          ))}
        </Stack>
      </Checkbox.Group>
    </ActionForm>
  );
}
