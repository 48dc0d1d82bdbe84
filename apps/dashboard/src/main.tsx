import './styles/mantine.js';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode, useEffect } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { isTransient } from './api/api.js';
import { Announcer } from './components/announcer.js';
import { Pages } from './pages.js';
import { useSession } from './session/session.js';
import { SignInPage } from './session/sign-in.page.js';
import { Shell } from './shell/shell.js';
import './styles/tokens.css';
import './styles/shell.css';
import './styles/content.css';
import './styles/controls.css';
import './styles/tables.css';
import './styles/domain.css';
import './styles/webhooks.css';

const MAX_RETRIES = 2;

/** Project events invalidate queries, so data stays fresh for a while when the user navigates back and forth. */
const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 15_000, retry: (failures, error) => failures < MAX_RETRIES && isTransient(error) },
    mutations: { retry: false },
  },
});

/** A modal that locks scrolling writes a style element, which the content security policy refuses. */
const theme = createTheme({
  respectReducedMotion: true,
  components: { Modal: { defaultProps: { lockScroll: false } } },
});

/**
 * Mantine writes no style elements here: its variables and classes come with the style sheet, so that the content
 * security policy needs no exception for styles.
 */
function App() {
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
    // The next user must not see data of this one.
    if (session === null) queryClient.clear();
  }, [session]);
  if (session === null) return <SignInPage />;
  return (
    <Shell>
      <Pages />
    </Shell>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
