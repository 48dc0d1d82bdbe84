import './styles/mantine.js';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { StrictMode, useState, type ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { isTransient } from './api/api.js';
import { Announcer } from './components/announcer.js';
import { Loaded } from './components/loaded.js';
import { Pages } from './pages.js';
import { findSession } from './session/session-requests.js';
import { followOtherTabs, useSession } from './session/session.js';
import { SignInPage } from './session/sign-in.page.js';
import { Shell } from './shell/shell.js';
import './styles/tokens.css';
import './styles/product.css';
import './styles/shell.css';
import './styles/content.css';
import './styles/folds.css';
import './styles/controls.css';
import './styles/lists.css';
import './styles/tables.css';
import './styles/domain.css';
import './styles/webhooks.css';

const MAX_RETRIES = 2;

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
      <Router base="/dashboard">
        <Announcer />
        <AuthGate />
      </Router>
    </MantineProvider>
  );
}

function AuthGate() {
  const { session } = useSession();
  // Another session never sees the data or the pages of the former.
  return (
    <Queries key={session?.id ?? ''}>
      {session === undefined && <SessionCheck />}
      {session === null && <SignInPage />}
      {session && (
        <Shell>
          <Pages />
        </Shell>
      )}
    </Queries>
  );
}

/** Project events invalidate queries, so data stays fresh for a while when the user navigates back and forth. */
function Queries({ children }: { readonly children: ReactNode }) {
  const [client] = useState(
    () =>
      new QueryClient({
        defaultOptions: {
          queries: { staleTime: 15_000, retry: (failures, error) => failures < MAX_RETRIES && isTransient(error) },
          mutations: { retry: false },
        },
      }),
  );
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

/** Until the API has said whether this browser has a session. */
function SessionCheck() {
  const check = useQuery({ queryKey: ['sign-in'], queryFn: findSession });
  return (
    <main className="sign-in">
      <Loaded query={check}>{() => null}</Loaded>
    </main>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no #root');
followOtherTabs();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
