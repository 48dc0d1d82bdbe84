import { scopes, type Scope } from '@pets/contracts';
import { Checkbox, Group, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { apiWithKey, dataOf } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { NewSecret } from '../components/copy.js';
import { ActionForm, Dialog } from '../components/form.js';
import { apiKeyStrings as text } from './api-key-strings.js';
import { invalidateApiKeys } from './api-keys.queries.js';

interface CreateApiKeyProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Creates a key. While the new key is shown, only its button closes the dialog. */
export function CreateApiKey({ opened, onClose }: CreateApiKeyProps) {
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => {
    setSecret(null);
    onClose();
  };
  return (
    <Dialog opened={opened} onClose={close} title={text.create} isLocked={secret !== null}>
      {secret === null ? (
        <CreateApiKeyForm onCreated={setSecret} />
      ) : (
        <NewSecret what={text.secret} secret={secret} confirm={text.saved} onClose={close} />
      )}
    </Dialog>
  );
}

function CreateApiKeyForm({ onCreated }: { readonly onCreated: (secret: string) => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [expires, setExpires] = useState('');
  const [own, setOwn] = useState('');
  const [validationError, setValidationError] = useState<string | null>(null);
  const create = useMutation({
    mutationFn: (wanted: Scope[]) =>
      dataOf(
        apiWithKey(own.trim()).POST('/v1/api-keys', {
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
  const { texts, isAtField } = fieldErrorsOf(create.error, ['name', 'scopes', 'expiresAt']);
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
          {scopes.map((scope) => (
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
      <PasswordInput
        label={text.confirmWith}
        description={text.confirmHint}
        value={own}
        onChange={(event) => setOwn(event.currentTarget.value)}
        autoComplete="off"
        required
      />
    </ActionForm>
  );
}
