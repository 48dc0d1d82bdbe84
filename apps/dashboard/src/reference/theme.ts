/** Where the dashboard keeps its reader's choice as well. */
const KEY = 'mantine-color-scheme-value';

/** Connects the button that switches between the light and the dark theme, and applies the stored choice. */
export function connectTheme(): void {
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
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function storeChoice(choice: string): void {
  try {
    localStorage.setItem(KEY, choice);
  } catch {
    return;
  }
}
