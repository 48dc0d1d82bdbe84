import '../styles/tokens.css';
import '../styles/product.css';
import './reference.css';
import './header.css';
import './operations.css';
import './code.css';
import { EXAMPLE_ORIGIN } from './samples.js';
import { connectSearch } from './search.js';
import { connectRequests } from './try-it.js';

/** Storage key at which the dashboard keeps its reader's choice as well. */
const THEME_KEY = 'mantine-color-scheme-value';

/** How long a button says that its sample was copied. */
const COPIED_MS = 2_000;

/** The page is complete without this script: it adds what needs one, and then shows the controls for it. */
connectTheme();
connectSamples();
connectSearch();
connectRequests();
document.documentElement.classList.add('scripted');

// On a phone the contents are above the text: they start closed there.
const contents = document.querySelector<HTMLDetailsElement>('.navigation');
if (contents !== null && matchMedia('(max-width: 60rem)').matches) contents.open = false;

/** Connects the button that switches between the light and the dark theme, and applies the stored choice. */
function connectTheme(): void {
  const root = document.documentElement;
  const button = document.getElementById('theme');
  const system = matchMedia('(prefers-color-scheme: dark)');
  const isDark = (): boolean => (root.dataset['mantineColorScheme'] ?? (system.matches ? 'dark' : 'light')) === 'dark';
  const name = (): void => {
    if (button !== null) button.textContent = isDark() ? 'Light mode' : 'Dark mode';
  };
  const stored = readChoice();
  if (stored === 'light' || stored === 'dark') root.dataset['mantineColorScheme'] = stored;
  system.addEventListener('change', name);
  button?.addEventListener('click', () => {
    const choice = isDark() ? 'light' : 'dark';
    root.dataset['mantineColorScheme'] = choice;
    storeChoice(choice);
    name();
  });
  name();
}

/** Browsers can refuse storage; then a choice ends with the page. */
function readChoice(): string | null {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null;
  }
}

function storeChoice(choice: string): void {
  try {
    localStorage.setItem(THEME_KEY, choice);
  } catch {
    return;
  }
}

/** Addresses the samples to this server, switches their language together, and adds copy buttons. */
function connectSamples(): void {
  for (const code of document.querySelectorAll('pre code')) {
    code.textContent = code.textContent.replaceAll(EXAMPLE_ORIGIN, location.origin);
  }
  const buttons = document.querySelectorAll<HTMLButtonElement>('button[data-language]');
  for (const button of buttons) button.addEventListener('click', () => chooseLanguage(buttons, button));
  for (const block of document.querySelectorAll<HTMLElement>('.code')) addCopyButton(block);
}

/** Keeps the clicked sample where it is, although others change their height. */
function chooseLanguage(buttons: Iterable<HTMLButtonElement>, clicked: HTMLButtonElement): void {
  const before = clicked.getBoundingClientRect().top;
  const { language = '' } = clicked.dataset;
  document.documentElement.dataset['language'] = language;
  for (const button of buttons) button.setAttribute('aria-pressed', String(button.dataset['language'] === language));
  scrollBy({ top: clicked.getBoundingClientRect().top - before, behavior: 'instant' });
}

function addCopyButton(block: HTMLElement): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    const shown = [...block.querySelectorAll('pre')].find((pre) => pre.offsetParent !== null);
    navigator.clipboard.writeText(shown?.textContent ?? '').then(
      () => announce(button, 'Copied'),
      () => announce(button, 'Copying failed'),
    );
  });
  block.append(button);
}

function announce(button: HTMLButtonElement, text: string): void {
  button.setAttribute('aria-live', 'polite');
  button.textContent = text;
  setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
}
