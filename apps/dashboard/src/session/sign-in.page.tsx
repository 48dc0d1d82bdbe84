import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrorsOf } from '../api/field-errors.js';
import { ActionForm } from '../components/form.js';
import { KeyInput } from '../components/key-input.js';
import { Notice } from '../components/notice.js';
import { Page } from '../components/page.js';
import { Product } from '../shell/product.js';
import { strings } from '../strings.js';
import { ProviderSignIn } from './provider-sign-in.js';
import { signInWith } from './session-requests.js';
import { useSession } from './session.js';

export function SignInPage() {
  const { wasRefused } = useSession();
  const [key, setKey] = useState('');
  const [validationError, setValidationError] = useState<string | null>(null);
  const signIn = useMutation({ mutationFn: signInWith });
  const { texts, isAtField } = fieldErrorsOf(signIn.error, ['apiKey']);
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
          <ProviderSignIn />
          <Text>{strings.signIn.text}</Text>
          <ActionForm label={strings.signIn.action} action={signIn} onSubmit={submit} isErrorAtField={isAtField}>
            <KeyInput
              label={strings.signIn.label}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={validationError ?? texts.apiKey}
              withAsterisk={false}
            />
          </ActionForm>
        </Page>
      </div>
    </main>
  );
}
