import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Router } from 'wouter';
import { queryClient } from './api/query-client.js';
import { Announcer } from './parts/announcer.js';
import { Pages } from './pages.js';
import { useSession } from './session/session.js';
import { SignInPage } from './session/sign-in.page.js';
import { Shell } from './shell/shell.js';

/** A modal that locks scrolling would write a style element for it, which the page's policy refuses. */
const theme = createTheme({
  respectReducedMotion: true,
  components: { Modal: { defaultProps: { lockScroll: false } } },
});

/**
 * Everything of a page: one reads it with the key of a session, or signs in. Mantine writes no style elements here (its
 * variables and classes come with the style sheet), so that the policy needs no exception for styles.
 */
export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withGlobalClasses={false}>
      <QueryClientProvider client={queryClient}>
        <Router base="/dashboard">
          <Announcer />
          <AuthGate />
        </Router>
      </QueryClientProvider>
    </MantineProvider>
  );
}

function AuthGate() {
  const { session } = useSession();
  useEffect(() => {
    // The next user must not see what this one has read.
    if (session === null) queryClient.clear();
  }, [session]);
  if (session === null) return <SignInPage />;
  return (
    <Shell>
      <Pages />
    </Shell>
  );
}
