import { Text } from '@mantine/core';
import type { SignInTarget } from '@pets/contracts';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { callDashboard } from '../api/api.js';
import { fieldErrorsOf } from '../api/field-errors.js';
import { ActionForm, KeyInput } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { Page } from '../components/page.js';
import { peopleStrings, refusalText } from '../people/people-strings.js';
import { Product } from '../shell/product.js';
import { strings } from '../strings.js';
import { signInWith } from './session-requests.js';
import { useSession, useSignInOptions } from './session.js';

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

/** Asks the API for the page of the identity provider, and goes there. The person returns to the page that is open. */
async function goToProvider(invitation: string | null): Promise<void> {
  const { pathname, search } = location;
  const body = invitation === null ? { returnTo: pathname + search } : { returnTo: '/dashboard/', invitation };
  const target = await callDashboard<SignInTarget>('sign-in/oidc', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  location.assign(target.location);
}

/** The button of the identity provider, why the last sign-in failed, and the invitation whose link was opened. */
function ProviderSignIn() {
  const { provider, refusal } = useSignInOptions();
  const signIn = useMutation({ mutationFn: goToProvider });
  const invitation = invitationInAddress();
  return (
    <>
      {refusal !== null && (
        <Notice tone="critical" role="alert">
          {refusalText(refusal)}
        </Notice>
      )}
      {invitation !== null && (
        <Notice tone={provider === null ? 'warning' : 'neutral'} role="status">
          {provider === null ? peopleStrings.accept.unavailable : peopleStrings.accept.text}
        </Notice>
      )}
      {provider !== null && (
        <>
          <ActionForm
            label={strings.signIn.with(provider.name)}
            action={signIn}
            onSubmit={() => signIn.mutate(invitation)}
          >
            {null}
          </ActionForm>
          <Text className="muted">{strings.signIn.or}</Text>
        </>
      )}
    </>
  );
}

/** The token in the fragment of an invitation's link. */
function invitationInAddress(): string | null {
  const isInvitation = location.pathname === '/dashboard/invitation' && location.hash.length > 1;
  return isInvitation ? location.hash.slice(1) : null;
}
