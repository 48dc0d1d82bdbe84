import { scopes, type Scope } from '@pets/contracts';
import { Checkbox, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, apiWithKey, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { ActionForm, KeyInput } from '../components/form.js';
import { SecretDialog } from '../components/secret-dialog.js';
import { useGivenScopes, usePerson } from '../session/caller.js';
import { apiKeyStrings as text } from './api-key-strings.js';
import { invalidateApiKeys } from './api-keys.queries.js';

interface CreateApiKeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates a key. While the new key is shown, only its button closes the dialog. */
export function CreateApiKey(props: CreateApiKeyProps) {
  return (
    <SecretDialog
      {...props}
      title={text.create}
      what={text.secret}
      confirm={text.saved}
      form={(onCreated) => <CreateApiKeyForm onCreated={onCreated} />}
    />
  );
}

function CreateApiKeyForm({ onCreated }: { readonly onCreated: (secret: string) => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [expires, setExpires] = useState('');
  // A person creates keys with the session; somebody who signed in with a key, with that key.
  const person = usePerson();
  const given = useGivenScopes();
  const offered = person ? scopes.filter((scope) => given.includes(scope)) : scopes;
  const [own, setOwn] = useState('');
  const [validationError, setValidationError] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: (wanted: Scope[]) =>
      dataOf(
        (person ? api() : apiWithKey(own.trim())).POST('/v1/api-keys', {
          body: { name, scopes: wanted, ...(expires !== '' && { expiresAt: new Date(expires).toISOString() }) },
        }),
      ),
    onSuccess: async ({ secret }) => {
      onCreated(secret);
      await invalidateApiKeys(queryClient);
    },
  });
  const submit = () => {
    const wanted = scopes.filter((scope) => chosen.includes(scope));
    setValidationError(wanted.length === 0 ? text.needsScope : null);
    if (wanted.length > 0) create.mutate(wanted);
  };
  const { texts, isAtField } = fieldErrorsOf(create.error, ['name', 'scopes', 'expiresAt', 'apiKey']);
  return (
    <ActionForm label={text.create} action={create} onSubmit={submit} isErrorAtField={isAtField}>
      <TextInput
        label={text.name}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        maxLength={100}
        error={texts.name}
        required
        data-autofocus
      />
      <Checkbox.Group
        label={text.scopes}
        value={[...chosen]}
        onChange={setChosen}
        error={validationError ?? texts.scopes}
      >
        <Group gap="sm" mt="xs">
          {offered.map((scope) => (
            <Checkbox key={scope} value={scope} label={scope} />
          ))}
        </Group>
      </Checkbox.Group>
      <TextInput
        label={text.expires}
        type="datetime-local"
        value={expires}
        onChange={(event) => setExpires(event.currentTarget.value)}
        error={texts.expiresAt}
      />
      {!person && (
        <KeyInput
          label={text.confirmWith}
          description={text.confirmHint}
          value={own}
          onChange={(event) => setOwn(event.currentTarget.value)}
          error={texts.apiKey}
        />
      )}
    </ActionForm>
  );
}
