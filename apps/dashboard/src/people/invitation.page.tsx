import { Text } from '@mantine/core';
import { Link } from 'wouter';
import { Page } from '../components/page.js';
import { peopleStrings } from './people-strings.js';

/** The link of an invitation, opened in a browser that has a session. Without one there is the sign-in page. */
export default function InvitationPage() {
  const text = peopleStrings.accept;
  return (
    <Page title={text.title}>
      <Text>{text.signedIn}</Text>
      <Link to="/">{text.back}</Link>
    </Page>
  );
}
