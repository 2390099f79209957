// Light or dark: as the reader's system has it, or as chosen here. The choice is kept where the browser allows it.

const systemLight = () => matchMedia('(prefers-color-scheme: light)');
const listeners = new Set<() => void>();

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(`exchange-rx ${name}`);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(`exchange-rx ${name}`, value);
  } catch {
    // Private windows keep nothing: the choice lasts as long as the page.
  }
}

export function onTheme(listener: () => void): void {
  listeners.add(listener);
}

export function startTheme(): void {
  apply();
  systemLight().addEventListener('change', apply);
}

export function switchTheme(): void {
  keep('theme', document.documentElement.dataset['theme'] === 'light' ? 'dark' : 'light');
  apply();
}

function apply(): void {
  const chosen = kept('theme') ?? (systemLight().matches ? 'light' : 'dark');
  document.documentElement.dataset['theme'] = chosen === 'light' ? 'light' : 'dark';
  for (const listener of listeners) listener();
}
