import { Alert, PasswordInput, Paper, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { apiWithKey, bodyOf } from '../api/api.js';
import { ActionForm } from '../parts/action-form.js';
import { Page } from '../parts/page.js';
import { strings } from '../strings.js';
import { beginSession, useSession } from './session.js';

/**
 * Exchanges an API key for a session. The key itself is kept nowhere: what the tab remembers is the session's, which lasts
 * twelve hours and makes no keys.
 */
export function SignInPage() {
  const { wasRefused } = useSession();
  const [key, setKey] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const signIn = useMutation({
    mutationFn: (apiKey: string) => bodyOf(apiWithKey(apiKey).POST('/v1/sessions')),
    onSuccess: beginSession,
  });
  const submit = () => {
    const apiKey = key.trim();
    setProblem(apiKey === '' ? strings.signIn.required : null);
    if (apiKey !== '') signIn.mutate(apiKey);
  };
  return (
    <main className="sign-in">
      <Paper withBorder p="lg">
        <Page title={strings.signIn.title}>
          {wasRefused && (
            <Alert color="yellow" variant="light" role="status">
              {strings.signIn.ended}
            </Alert>
          )}
          <Text>{strings.signIn.text}</Text>
          <ActionForm label={strings.signIn.action} action={signIn} onSubmit={submit} noValidate>
            <PasswordInput
              label={strings.signIn.label}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={problem}
              autoComplete="off"
              spellCheck={false}
              withAsterisk={false}
              required
            />
          </ActionForm>
        </Page>
      </Paper>
    </main>
  );
}
