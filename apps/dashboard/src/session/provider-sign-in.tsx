import type { SignInTarget } from '@pets/contracts';
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { callDashboard } from '../api/api.js';
import { ActionForm } from '../components/form.js';
import { Notice } from '../components/notice.js';
import { peopleStrings, refusalText } from '../people/people-strings.js';
import { strings } from '../strings.js';
import { useSignInOptions } from './session.js';

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
export function ProviderSignIn() {
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
