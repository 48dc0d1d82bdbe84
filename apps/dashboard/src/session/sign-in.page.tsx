import { PasswordInput, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionForm } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { Page } from '../components/page.js';
import { Product } from '../shell/product.js';
import { strings } from '../strings.js';
import { signInWith } from './session-requests.js';
import { useSession } from './session.js';

export function SignInPage() {
  const { wasRefused } = useSession();
  const [key, setKey] = useState('');
  const [validationError, setValidationError] = useState<string | null>(null);
  const signIn = useMutation({ mutationFn: signInWith });
  const submit = () => {
    const apiKey = key.trim();
    setValidationError(apiKey === '' ? strings.signIn.required : null);
    if (apiKey !== '') signIn.mutate(apiKey);
  };
  return (
    <main className="sign-in">
      <Product />
      <div className="card">
        <Page title={strings.signIn.title}>
          {wasRefused && (
            <Notice tone="warning" role="status">
              {strings.signIn.ended}
            </Notice>
          )}
          <Text>{strings.signIn.text}</Text>
          <ActionForm label={strings.signIn.action} action={signIn} onSubmit={submit}>
            <PasswordInput
              label={strings.signIn.label}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={validationError}
              autoComplete="off"
              spellCheck={false}
              withAsterisk={false}
              required
            />
          </ActionForm>
        </Page>
      </div>
    </main>
  );
}
